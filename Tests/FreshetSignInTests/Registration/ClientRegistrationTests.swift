import FreshetAuth
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

@testable import FreshetSignIn

final class ClientRegistrationTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    private func server(_ url: String? = "https://id.example/register") throws -> AuthorizationServer {
        var server = AuthorizationServer(issuer: "https://id.example")
        server.registrationEndpoint = try url.map { try RequestURL($0) }
        server.tokenEndpoint = try RequestURL("https://id.example/token")
        server.supportsClientIDMetadataDocuments = true
        return server
    }

    private func register(
        _ bench: LoginBench, at server: AuthorizationServer, token: String? = nil
    ) -> Result<RegisteredClient, any Error>? {
        let ending = Locked<Result<RegisteredClient, any Error>?>(nil)
        var metadata = ClientMetadata(name: "Freshet", redirectURIs: ["http://127.0.0.1:7/callback"])
        metadata.scope = "read"
        metadata.extra = ["software_id": .string("s")]
        let subscription = ClientRegistration(client: bench.client, initialAccessToken: token)
            .register(metadata, at: server).subscribe { event in ending.withLock { $0 = event } }
        bench.scheduler.start()
        subscription.dispose()
        return ending.withLock { $0 }
    }

    private func code(_ result: Result<RegisteredClient, any Error>?) -> HTTPClientError.Code? {
        guard case .failure(let error)? = result else { return nil }
        return (error as? HTTPClientError)?.code
    }

    func testANativeClientRegistersWithoutASecret() throws {
        let bench = LoginBench()
        bench.script(.json(#"{"client_id":"c1"}"#, status: .created))
        let client = try XCTUnwrap(register(bench, at: server(), token: "t")).get()
        let request = try XCTUnwrap(bench.server.requests.first)
        XCTAssertEqual(request.method, .post)
        XCTAssertEqual(request.target, "/register")
        XCTAssertEqual(request.headers[.contentType], "application/json")
        XCTAssertEqual(request.headers[.authorization], "Bearer t")
        XCTAssertEqual(
            request.text,
            #"{"application_type":"native","client_name":"Freshet","grant_types":["authorization_code","refresh_token"],"#
                + #""redirect_uris":["http://127.0.0.1:7/callback"],"response_types":["code"],"scope":"read","#
                + #""software_id":"s","token_endpoint_auth_method":"none"}"#)
        XCTAssertEqual(client.id, "c1")
        XCTAssertNil(client.secret)
    }

    func testTheInitialAccessTokenIsNeverPrinted() {
        let bench = LoginBench()
        let registration = ClientRegistration(client: bench.client, initialAccessToken: "s3cret")
        var text = "\(registration) \(String(reflecting: registration))"
        dump(registration, to: &text)
        XCTAssertFalse(text.contains("s3cret"), text)
    }

    func testASecretIsKeptWithItsExpiryAndNeverPrinted() throws {
        let bench = LoginBench()
        bench.script(
            .json(
                #"{"client_id":"c1","client_secret":"s3cret","client_secret_expires_at":2000,"#
                    + #""token_endpoint_auth_method":"client_secret_post"}"#))
        let client = try XCTUnwrap(register(bench, at: server())).get()
        XCTAssertEqual(client.secret, "s3cret")
        XCTAssertFalse(client.isExpired(at: 1999))
        XCTAssertTrue(client.isExpired(at: 2000))
        var dumped = ""
        dump(client, to: &dumped)
        for text in ["\(client)", "\(String(reflecting: client))", dumped] {
            XCTAssertFalse(text.contains("s3cret"), text)
        }
        XCTAssertEqual(try RegisteredClient(client.document, issuer: client.issuer), client)
        bench.script(.json(#"{"client_id":"c1","client_secret":"s","client_secret_expires_at":0}"#))
        XCTAssertFalse(try XCTUnwrap(register(bench, at: server())).get().isExpired(at: .infinity))
    }

    /// anomalyco/opencode PR#47814: the client sent the secret to the next issuer.
    func testAClientIsNotUsedWithAnotherIssuer() throws {
        let client = try RegisteredClient(.object(["client_id": .string("c")]), issuer: "https://other.example")
        XCTAssertThrowsError(try client.tokenEndpoint(of: server(), client: LoginBench().client)) { error in
            XCTAssertEqual((error as? HTTPClientError)?.code, .issuerMismatch)
        }
        let own = try RegisteredClient(.object(["client_id": .string("c")]), issuer: "https://id.example")
        XCTAssertEqual(try own.tokenEndpoint(of: server(), client: LoginBench().client).clientID, "c")
    }

    func testARefusalAndAnInvalidResponseAreErrors() throws {
        let responses: [(ScriptedResponse, HTTPClientError.Code)] = [
            (.json(#"{"error":"invalid_redirect_uri"}"#, status: .badRequest), .status),
            (ScriptedResponse(status: .found, headers: [.location: "https://evil.example"]), .status),
            (.json("{}"), .protocol), (.json(#"{"client_id":""}"#), .protocol),
            (ScriptedResponse(body: "x"), .protocol),
        ]
        for (response, expected) in responses {
            let bench = LoginBench()
            bench.script(response)
            XCTAssertEqual(code(register(bench, at: try server())), expected)
            XCTAssertEqual(bench.server.requestCount, 1)
        }
        for url in [nil, "http://id.example/register"] {
            let bench = LoginBench()
            XCTAssertEqual(code(register(bench, at: try server(url))), .discovery)
            XCTAssertEqual(bench.server.requestCount, 0)
        }
    }

    func testTheURLOfAMetadataDocumentIsAClientIdentifier() throws {
        let client = try RegisteredClient(documentAt: "https://app.example/client.json", for: server())
        XCTAssertEqual(client.id, "https://app.example/client.json")
        for url in [
            "http://app.example/c", "https://app.example", "https://app.example/", "https://app.example/a#b",
            "https://app.example/a/../c", "https://me@app.example/c", "https://APP.example/c", "x",
        ] {
            XCTAssertThrowsError(try RegisteredClient(documentAt: url, for: server()), url)
        }
        var other = try server()
        other.supportsClientIDMetadataDocuments = false
        XCTAssertThrowsError(try RegisteredClient(documentAt: "https://app.example/client.json", for: other))
    }
}
