import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

@testable import FreshetAuth

/// Tests which request gets which credential. The numbers in comments are those of the failures in the article RefreshFailures.
final class AuthenticationScopeTests: XCTestCase {
    private var resources = 0
    private let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    private func interceptor(
        _ token: String, for origins: String..., field: HTTPField.Name? = nil, allowsPlainHTTP: Bool = false
    ) throws -> AuthenticationInterceptor {
        let placement = field.map { CredentialPlacement.fields(access: $0) } ?? .authorization()
        let renewed = Credential(accessToken: token + "+")
        return AuthenticationInterceptor(
            authenticator: ClosureAuthenticator(placement: placement) { _ in .just(renewed) },
            store: MemoryStore(Credential(accessToken: token)), origins: Set(try origins.map { try Origin($0) }),
            scheduler: scheduler, allowsPlainHTTP: allowsPlainHTTP)
    }

    private func send(
        _ url: String, to api: StubTransport, through interceptors: AuthenticationInterceptor...
    ) -> Result<Response, any Error>? {
        let client = HTTPClient(transport: api, scheduler: scheduler, interceptors: interceptors)
        let ending = Ending<Response>()
        _ = client.get(url).subscribe { ending.set($0) }
        scheduler.start()
        return ending.value
    }

    func testOnlyPathsBelowThePrefixReceiveTheCredential() throws {
        for (prefix, path, isSent) in [
            ("/v2", "/v2", true), ("/v2", "/v2/", true), ("v2/", "/v2/a?b", true), ("/v2", "/v2?b", true),
            ("/v2", "/v20", false), ("/v2", "/", false), ("/v2", "/V2/a", false), ("/v2", "/v2/../v1", false),
            ("/v2", "/v2/%2e%2E/v1", false), ("/v2", "/v2/.%2e/v1", false), ("/v2", "/v2/%2eb", true),
            ("/v2", "/v2/..%2Fv1", false), ("/v2", "/v2/..%5cv1", false), ("/v2", "/v2/..;/v1", false),
            ("/v2", "/v2/%252e%252e/v1", false), ("/v2", "/v2/a%20b;c", true),
            ("/", "/a", true), ("", "/a", true), ("/ä", "/%C3%A4/b", true),
        ] {
            let api = StubTransport(scheduler: scheduler)
            api.enqueue(ScriptedResponse())
            let origin = try Origin("https://api.example")
            let interceptor = AuthenticationInterceptor(
                authenticator: ClosureAuthenticator { _ in .just(Credential(accessToken: "new")) },
                store: MemoryStore(Credential(accessToken: "a")), origins: [origin], pathPrefix: prefix,
                scheduler: scheduler)
            _ = try send("https://api.example\(path)", to: api, through: interceptor)?.get()
            XCTAssertEqual(api.requests.map(\.bearerToken), [isSent ? "a" : nil], "\(prefix) \(path)")
        }
    }

    func testARedirectOutOfThePrefixCarriesNoCredential() throws {
        let api = StubTransport(scheduler: scheduler)
        api.enqueue(ScriptedResponse(status: .found, headers: [.location: "/other"]), ScriptedResponse())
        let interceptor = AuthenticationInterceptor(
            authenticator: ClosureAuthenticator { _ in .just(Credential(accessToken: "new")) },
            store: MemoryStore(Credential(accessToken: "a")), origins: [try Origin("https://api.example")],
            pathPrefix: "/v2", scheduler: scheduler)
        _ = try send("https://api.example/v2/a", to: api, through: interceptor)?.get()
        XCTAssertEqual(api.requests.map(\.bearerToken), ["a", nil])
    }

    func testNoCredentialIsSentOverPlainHTTPToAnotherHost() throws {
        for url in ["http://api.example", "http://127.evil.example:80", "http://10.0.0.1", "http://[fe80::1]:8080"] {
            let api = StubTransport(scheduler: scheduler)
            let result = send(url, to: api, through: try interceptor("a", for: url))
            guard case .failure(let error as HTTPClientError)? = result else { return XCTFail("\(url): no error") }
            XCTAssertEqual(error.code, .invalidRequest)
            XCTAssertEqual(error.origin, try RequestURL(url).origin.description)
            XCTAssertTrue(error.message.contains("plain http"), error.message)
            XCTAssertTrue("\(error)".contains("allowsPlainHTTP"), "\(error)")
            XCTAssertTrue(error.isUnsent)
            XCTAssertEqual(api.requestCount, 0)
        }
    }

    func testTheCredentialIsSentOverPlainHTTPToLoopbackAndWhereThatIsAllowed() throws {
        for url in ["http://127.0.0.1:8080", "http://[::1]", "http://localhost", "http://api.localhost"] {
            let api = StubTransport(scheduler: scheduler)
            api.enqueue(ScriptedResponse())
            XCTAssertNoThrow(try XCTUnwrap(send(url, to: api, through: interceptor("a", for: url))).get())
            XCTAssertEqual(api.requests.map(\.bearerToken), ["a"])
        }
        let api = StubTransport(scheduler: scheduler)
        let allowed = try interceptor("a", for: "http://api.example", allowsPlainHTTP: true)
        _ = send("http://api.example/x", to: api, through: allowed)
        XCTAssertEqual(api.requests.map(\.bearerToken), ["a"])
    }

    // Failure 24.
    func testOriginsAreComparedWithoutCaseAndWithDefaultPorts() throws {
        let api = StubTransport(scheduler: scheduler)
        let authentication = try interceptor("a", for: "HTTPS://Api.Example:443")
        for url in ["https://api.example/", "https://API.example:443", "https://api.EXAMPLE/x"] {
            _ = send(url, to: api, through: authentication)
        }
        XCTAssertEqual(api.requests.map(\.bearerToken), ["a", "a", "a"])
        for url in [
            "https://api.example:444/", "http://api.example:443/", "https://api.example./", "https://xapi.example",
            "https://api.example.evil", "https://example",
        ] {
            _ = send(url, to: api, through: authentication)
        }
        XCTAssertEqual(api.requests.dropFirst(3).map(\.bearerToken), Array(repeating: nil, count: 6))
    }

    // Failure 24: after a redirect back to the first origin, the request carries the credential of that origin only.
    func testARedirectToAnOriginUsesTheCredentialOfThatOrigin() throws {
        let api = StubTransport(scheduler: scheduler)
        api.enqueue(
            ScriptedResponse(status: .temporaryRedirect, headers: [.location: "https://stranger.example/"]),
            ScriptedResponse(status: .temporaryRedirect, headers: [.location: "https://b.example/"]),
            ScriptedResponse(status: .temporaryRedirect, headers: [.location: "https://a.example/back"]),
            ScriptedResponse(body: "hello"))
        let a = try interceptor("a", for: "https://a.example")
        let b = try interceptor("b", for: "https://b.example")
        XCTAssertEqual(try send("https://a.example/", to: api, through: a, b)?.get().text, "hello")
        XCTAssertEqual(api.requests.map(\.bearerToken), ["a", nil, "b", "a"])
    }

    /// The request's own `Authorization` replaces the credential for the whole request, and a redirect drops it.
    func testARequestWithItsOwnAuthorizationGetsNoCredentialAfterARedirect() throws {
        for start in ["https://a.example/", "https://stranger.example/"] {
            let api = StubTransport(scheduler: scheduler)
            api.enqueue(
                ScriptedResponse(status: .temporaryRedirect, headers: [.location: "https://b.example/"]),
                ScriptedResponse(status: .unauthorized))
            let both = try interceptor("t", for: "https://a.example", "https://b.example")
            let client = HTTPClient(transport: api, scheduler: scheduler, interceptors: [both])
            let ending = Ending<Response>()
            _ = client.get(start, headers: [.authorization: "Bearer own"]).subscribe { ending.set($0) }
            scheduler.start()
            XCTAssertEqual(try ending.value?.get().status, .unauthorized)
            XCTAssertEqual(api.requests.map(\.bearerToken), ["own", nil])
            api.enqueue(ScriptedResponse())
            _ = try send("https://b.example/", to: api, through: both)?.get()
            XCTAssertEqual(api.requests.last?.bearerToken, "t", "another request gets it")
        }
    }

    func testSeveralInterceptorsInOneClientRefreshTheirOwnCredentials() throws {
        let api = StubTransport(scheduler: scheduler)
        api.route { request in
            ["a+", "b+"].contains(request.bearerToken)
                ? ScriptedResponse(body: "hello") : ScriptedResponse(status: .unauthorized)
        }
        let a = try interceptor("a", for: "https://a.example")
        let b = try interceptor("b", for: "https://b.example")
        for url in ["https://a.example/", "https://b.example/"] {
            XCTAssertEqual(try send(url, to: api, through: a, b)?.get().text, "hello", "in this order")
            XCTAssertEqual(try send(url, to: api, through: b, a)?.get().text, "hello", "and in that")
        }
        XCTAssertEqual(api.requests.map(\.bearerToken), ["a", "a+", "a+", "b", "b+", "b+"])
    }

    func testTwoCredentialsOnOneRequestAreRefreshedSeparately() throws {
        let api = StubTransport(scheduler: scheduler)
        let key = HTTPField.Name("X-Key")!
        api.route { request in
            request.bearerToken == "a+" && request.headers[key] == "k"
                ? ScriptedResponse(body: "hello") : ScriptedResponse(status: .unauthorized)
        }
        let user = try interceptor("a", for: "https://a.example")
        let gateway = try interceptor("k", for: "https://a.example", field: key)
        XCTAssertEqual(try send("https://a.example/", to: api, through: user, gateway)?.get().text, "hello")
        XCTAssertEqual(api.requests.map(\.bearerToken), ["a", "a+"])
        XCTAssertEqual(gateway.gate.current?.accessToken, "k", "the other one's was not refreshed")
    }
}
