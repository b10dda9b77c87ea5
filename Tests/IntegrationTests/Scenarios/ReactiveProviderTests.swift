import FreshetAuth
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests a reactive provider.
final class ReactiveProviderTests: ScenarioTestCase {
    private struct Article: Codable, Equatable {
        var title: String
    }

    private struct Pair: Decodable {
        var accessToken: String
        var refreshToken: String
    }

    private enum Articles: Endpoint {
        typealias Response = [Article]

        case latest
        case search(String)

        var path: String {
            switch self {
            case .latest: "/articles"
            case .search: "/articles/search"
            }
        }

        var query: [(name: String, value: String)] {
            switch self {
            case .latest: []
            case .search(let words): [("q", words)]
            }
        }
    }

    private enum APIError: Error, Equatable {
        case status(Int)
        case loginRequired
        case other(HTTPClientError.Code?)
    }

    private struct Provider {
        let client: HTTPClient
        let base: String

        func request<Call: Endpoint>(_ call: Call) -> Single<Result<Call.Response, APIError>> {
            client.call(call, at: base).map { .success($0) }.catch { error in
                let error = error as? HTTPClientError
                switch error?.code {
                case .loginRequired: return .just(.failure(.loginRequired))
                case .status: return .just(.failure(.status(error?.response?.status.code ?? 0)))
                default: return .just(.failure(.other(error?.code)))
                }
            }
        }
    }

    private func setting(
        _ expiry: TokenServer.Expiry
    ) throws -> (server: TokenServer, client: HTTPClient, provider: Provider) {
        var rules = TokenServer.Rules()
        rules.expiry = expiry
        rules.expiryResponse = .status(419)
        rules.accessToken = { $0.headers[.accessToken] }
        let server = try TokenServer(on: loop, rules: rules) { request in
            request.path.hasPrefix("/articles")
                ? .json(#"[{"title":"\#(request.query ?? "latest")"}]"#) : ScriptedResponse(status: .notFound)
        }
        let placement = CredentialPlacement.fields(
            access: .accessToken, refresh: .refreshToken, headers: [.apiKey: "key"])
        let (refreshClient, scheduler) = (refreshClient, scheduler)
        let reissue: @Sendable (Credential?) -> Single<Credential> = { credential in
            refreshClient
                .post(server.reissueURL, headers: [.refreshToken: credential?.refreshToken ?? ""], body: .empty)
                .validate().decode(Pair.self)
                .map { Credential(accessToken: $0.accessToken, refreshToken: $0.refreshToken) }
        }
        let authenticator = ClosureAuthenticator(placement: placement, expired: ExpiryRule(statuses: [419])) {
            credential in
            Observable.just(()).observe(on: scheduler).flatMap { reissue(credential) }.asSingle()
        }
        let gate = gate(MemoryStore(Credential(server.signIn())), authenticator)
        let interceptor = AuthenticationInterceptor(
            gate: gate, authenticator: authenticator, origins: [try Origin(server.url)])
        let client = client(interceptor)
        return (server, client, Provider(client: client, base: server.url))
    }

    func testThreeFieldsAreSentToTheBaseURLOnly() async throws {
        let (server, client, provider) = try setting(.never)
        let other = try ScriptedServer(on: loop)
        _ = try await provider.request(Articles.latest).value
        _ = try await client.get(other.url).value
        server.server.enqueue(
            ScriptedResponse(status: .found, headers: [.location: "\(other.url)/elsewhere"]))
        _ = try await client.get("\(server.url)/moved").value
        for request in server.requests {
            XCTAssertEqual(request.headers[.accessToken], "access-1.1")
            XCTAssertEqual(request.headers[.refreshToken], "refresh-1.1")
            XCTAssertEqual(request.headers[.apiKey], "key")
        }
        XCTAssertEqual(other.requests.map(\.path), ["/", "/elsewhere"])
        for request in other.requests {
            for name in [HTTPField.Name.accessToken, .refreshToken, .apiKey] { XCTAssertNil(request.headers[name]) }
        }
    }

    func testA419IsRefreshedByAStreamAndTheCallSucceeds() async throws {
        let (server, _, provider) = try setting(.afterUses([0]))
        let result = try await provider.request(Articles.search("a b&c")).value
        XCTAssertEqual(result, .success([Article(title: "q=a%20b%26c")]))
        XCTAssertEqual(server.requests.map(\.path), ["/articles/search", "/reissue", "/articles/search"])
        XCTAssertEqual(server.requests[2].headers[.accessToken], "access-2.1")
        XCTAssertEqual(server.requests[2].headers[.refreshToken], "refresh-2.1")
    }

    func testErrorsAreConvertedToValuesOfTheProvider() async throws {
        let (server, _, provider) = try setting(.never)
        server.server.enqueue(ScriptedResponse(status: .conflict), .json("{}"))
        var results: [Result<[Article], APIError>] = []
        for _ in 0..<2 { results.append(try await provider.request(Articles.latest).value) }
        XCTAssertEqual(results, [.failure(.status(409)), .failure(.other(.decoding))])
    }

    func testARefusedRefreshIsConvertedToTheLoginRequiredOfTheProvider() async throws {
        let (server, _, provider) = try setting(.everyUses(0))
        server.revokeSessions()
        let result = try await provider.request(Articles.latest).value
        XCTAssertEqual(result, .failure(.loginRequired))
    }
}
