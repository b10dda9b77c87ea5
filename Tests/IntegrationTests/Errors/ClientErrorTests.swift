import FreshetAuth
import FreshetCore
import FreshetCurl
import FreshetHTTP
import FreshetHTTPTesting
import FreshetLoop
import HTTPTypes
import XCTest

/// Tests every error code that a request can have, with the text that a person reads. A description contains no secret: each
/// request here has a secret in its query, in a header and in its credential.
final class ClientErrorTests: ScenarioTestCase {
    var server: ScriptedServer!

    override func setUpWithError() throws {
        try super.setUpWithError()
        server = try ScriptedServer(on: loop)
    }

    override func tearDown() {
        server = nil
        super.tearDown()
    }

    func request(_ path: String = "/", _ change: (inout Request) -> Void = { _ in }) throws -> Request {
        var request = try Request(
            .get, "\(server.url)\(path)?token=s3cret",
            headers: [.cookie: "s3cret", HTTPField.Name("X-Token")!: "s3cret"])
        change(&request)
        return request
    }

    /// Asserts that `single` fails with `description`, in which `SERVER` stands for the server's address. The address of the
    /// connection is left out: it is there if there was one.
    func expect<Element: Sendable>(
        _ single: Single<Element>, _ description: String, file: StaticString = #filePath, line: UInt = #line
    ) async {
        let error = await failure(of: single, file: file, line: line)
        let text = "\(error)".replacing(server.url, with: "SERVER").replacing(", 127.0.0.1:\(server.port)", with: "")
        XCTAssertEqual(text, description, file: file, line: line)
        var dumped = ""
        dump(error, to: &dumped)
        for text in ["\(error)", String(reflecting: error), dumped] {
            XCTAssertFalse(text.contains("s3cret"), text, file: file, line: line)
        }
    }

    func testTheInvalidRequestErrorHasItsCodePhaseAndAdvice() async throws {
        await expect(
            client().get("ftp://example.com/"),
            "invalid_request: the URL's scheme is not http or https; use one of these (preparing)")
        await expect(
            client().get("http://user:s3cret@example.com/"),
            "invalid_request: the URL holds a user or a password; send them by FixedCredential.basic (preparing)"
        )
        await expect(
            client().get("/relative"),
            "invalid_request: the URL is not absolute; begin it with http:// or https:// (preparing)")
    }

    func testAnErrorNamesTheRequestTheAttemptAndThePeer() async throws {
        server.route { _ in ScriptedResponse(status: .serviceUnavailable) }
        let retrying = client(RetryPolicy(limit: 1, random: { 0 }, secondsSince1970: { 0 }))
        let error = await failure(of: retrying.send(try request("/a/b")).validate())
        XCTAssertEqual(error.method, .get)
        XCTAssertEqual(error.path, "/a/b")
        XCTAssertEqual(error.attempt, 2)
        XCTAssertEqual(error.peer, "127.0.0.1:\(server.port)")
        XCTAssertTrue(
            "\(error)".hasSuffix(
                "(receiving the response, GET \(server.url)/a/b, attempt 2, 127.0.0.1:\(server.port))"),
            "\(error)")
    }

    func testTheConnectErrorIsUnsent() async throws {
        let closed = try ScriptedServer(on: loop)
        closed.close()
        let error = await failure(of: client().get(closed.url))
        XCTAssertEqual(error.code, .connect)
        XCTAssertTrue(error.isUnsent)
    }

    func testTheTimeoutErrorHasItsCodePhaseAndAdvice() async throws {
        server.route { _ in .silence }
        await expect(
            client().send(try request { $0.timeout = .milliseconds(300) }),
            "timeout: the request took longer than its 0.3 seconds; try again, or allow the request more time "
                + "(waiting for the response, GET SERVER/)"
        )
        await expect(
            client().send(
                try request {
                    $0.transfer = TransferOptions()
                    $0.transfer?.idleTimeout = .milliseconds(300)
                }),
            "timeout: the server has not begun to respond; try again, or allow a longer silence "
                + "(waiting for the response, GET SERVER/)"
        )
        server.enqueue(ScriptedResponse(body: "abc").pausing(after: 1, until: Barrier()))
        await expect(
            client().send(
                try request {
                    $0.transfer = TransferOptions()
                    $0.transfer?.totalTimeout = .milliseconds(300)
                }),
            "timeout: the transfer took too long; try again, or allow the request more time (receiving the response, GET SERVER/)"
        )
    }

    func testTheConnectionLostErrorHasItsCodePhaseAndAdvice() async throws {
        server.enqueue(
            .close, .reset, ScriptedResponse(body: "abc").truncated(after: 1),
            ScriptedResponse(body: "abc").reset(after: 2))
        for phase in ["waiting for the response", "waiting for the response", "receiving the response"] {
            await expect(
                client().send(try request { $0.method = .post }),
                "connection_lost: the connection ended before the response was complete; send it again if that does no harm "
                    + "(\(phase), POST SERVER/)"
            )
        }
        // The client may see the reset before it has read the data that came before the reset.
        let error = await failure(of: client().send(try request { $0.method = .post }))
        XCTAssertEqual(error.code, .connectionLost)
    }

    func testTheProtocolErrorHasItsCodePhaseAndAdvice() async throws {
        server.enqueue(.raw("SSH-2.0-OpenSSH_9.2\r\n"), .raw("HTTP/1.1 2x0 OK\r\n\r\n"))
        for _ in 0..<2 {
            await expect(
                client().send(try request { $0.method = .post }),
                "protocol: what came is no valid HTTP; check that the address is that of an HTTP server "
                    + "(waiting for the response, POST SERVER/)")
        }
    }

    func testTheTooLargeErrorHasItsCodePhaseAndAdvice() async throws {
        server.enqueue(
            .repeating([UInt8](repeating: 97, count: 1000), times: 3),
            .streaming(.from(Array(repeating: [UInt8](repeating: 97, count: 1000), count: 3))),
            ScriptedResponse(headers: [HTTPField.Name("X-Large")!: String(repeating: "a", count: 300_000)]),
            ScriptedResponse(
                headers: HTTPFields(
                    (0..<3000).map { HTTPField(name: .init("X-\($0)")!, value: String(repeating: "a", count: 100)) })))
        var configuration = HTTPClient.Configuration()
        configuration.maximumBodySize = 2500
        let client = client().with(configuration: configuration)
        for message in [
            "the body has more than 2500 bytes; raise maximumBodySize, or read the body as a stream",
            "the body has more than 2500 bytes; raise maximumBodySize, or read the body as a stream",
            "a line of the response's head or trailers is too large; raise maximumHeadSize if the head is meant to be this large",
            "the head of the response is over 262144 bytes; raise maximumHeadSize if the head is meant to be this large",
        ] {
            await expect(client.send(try request()), "too_large: \(message) (receiving the response, GET SERVER/)")
        }
    }

    func testTheTooManyRedirectsErrorHasItsCodePhaseAndAdvice() async throws {
        server.route { request in
            ScriptedResponse(status: .found, headers: [.location: "/\(request.number)?token=s3cret"])
        }
        await expect(
            client().send(try request()),
            "too_many_redirects: 10 redirects were followed and another came; ask the final address "
                + "(redirecting, GET SERVER/10)"
        )
        XCTAssertEqual(server.requestCount, 11)
    }

    func testTheForbiddenRedirectErrorHasItsCodePhaseAndAdvice() async throws {
        server.enqueue(
            ScriptedResponse(status: .found, headers: [.location: "ftp://example.com/?token=s3cret"]),
            ScriptedResponse(status: .found, headers: [.location: "file:///etc/passwd"]))
        for description in [
            "forbidden_redirect: the redirect can't be followed: the URL's scheme is not http or https; ask another address "
                + "(redirecting, GET SERVER/)",
            "forbidden_redirect: the redirect can't be followed: the URL's scheme is not http or https; ask another address "
                + "(redirecting, GET SERVER/)",
        ] {
            await expect(client().send(try request()), description)
        }
    }

    func testTheCancelledErrorHasItsCodePhaseAndAdvice() async throws {
        server.route { _ in .silence }
        let transport = CurlTransport(loop: loop)
        let client = HTTPClient(transport: transport, scheduler: scheduler)
        let arrival = server.received.subscribe { _ in transport.shutdown() }
        await expect(
            client.send(try request()),
            "cancelled: the transport was shut down; send the request with another (waiting for the response, GET SERVER/)"
        )
        arrival.dispose()
    }

    func testTheDecodingErrorHasItsCodePhaseAndAdvice() async throws {
        server.enqueue(
            ScriptedResponse(headers: [.contentEncoding: "gzip"], body: "this is not gzip"),
            ScriptedResponse(body: "s3cret"))
        await expect(
            client().send(try request()),
            "decoding: the content coding of the response can't be decoded; ask for the response without compression "
                + "(decoding, GET SERVER/)"
        )
        await expect(
            client().send(try request()).decode([String].self),
            "decoding: the body of the 200 response is not the JSON of Array<String>: the text is not valid; see the response and the underlying error (decoding, GET SERVER/)"
        )
    }

    func testTheStatusErrorHasItsCodePhaseAndAdvice() async throws {
        server.enqueue(ScriptedResponse(status: .notFound, body: "s3cret"))
        await expect(
            client().send(try request()).validate(),
            "status: the server responded with 404 Not Found; see the response for its reason "
                + "(receiving the response, GET SERVER/)"
        )
    }

    func testTheOverloadedErrorHasItsCodePhaseAndAdvice() async throws {
        server.route { _ in .silence }
        var configuration = CurlTransport.Configuration()
        configuration.pool.maximumConnectionsPerOrigin = 1
        configuration.pool.queueLimit = 1
        let transport = CurlTransport(loop: loop, configuration: configuration)
        let client = HTTPClient(transport: transport, scheduler: scheduler)
        let waiting = [client.send(try request()), client.send(try request())].map { $0.subscribe { _ in } }
        await expect(
            client.send(try request()),
            "overloaded: the queue is full; its limit is 1; send fewer requests at once (queued, GET SERVER/)")
        waiting.forEach { $0.dispose() }
        transport.shutdown()
    }

    func authenticated(
        _ store: any CredentialStore, grant: OAuthGrant = .refreshToken, at path: String = "/token"
    ) throws -> HTTPClient {
        let authenticator = try OAuthAuthenticator(
            tokenURL: try RequestURL("\(server.url)\(path)"), grant: grant, client: refreshClient)
        let gate = gate(store, authenticator)
        return client(
            AuthenticationInterceptor(gate: gate, authenticator: authenticator, origins: [try Origin(server.url)]))
    }

    var expired: MemoryStore {
        MemoryStore(Credential(accessToken: "s3cret", refreshToken: "s3cret"))
    }
}
