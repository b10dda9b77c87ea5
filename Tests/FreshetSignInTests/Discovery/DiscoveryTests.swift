import FreshetAuth
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

@testable import FreshetSignIn

final class DiscoveryTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    private func metadata(_ issuer: String, _ rest: String = "") -> ScriptedResponse {
        .json(#"{"issuer":"\#(issuer)","token_endpoint":"https://id.example/token"\#(rest)}"#)
    }

    private func result<Value>(_ bench: LoginBench, _ single: Single<Value>) throws -> Value {
        let ending = Locked<Result<Value, any Error>?>(nil)
        let subscription = single.subscribe { event in ending.withLock { $0 = event } }
        bench.scheduler.start()
        subscription.dispose()
        return try XCTUnwrap(ending.withLock { $0 }).get()
    }

    private func code(_ body: () throws -> Void) -> HTTPClientError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? HTTPClientError)?.code
        }
    }

    private func server(_ issuer: String, _ bench: LoginBench) throws -> AuthorizationServer {
        try result(bench, Discovery(client: bench.client).server(issuer: issuer))
    }

    func testThePathOfAnIssuerIsTriedAfterAndThenBeforeTheWellKnownName() throws {
        let bench = LoginBench()
        let missing = ScriptedResponse(status: .notFound)
        bench.script(missing, missing, metadata("https://id.example/t1"))
        XCTAssertEqual(try server("https://id.example/t1", bench).issuer, "https://id.example/t1")
        XCTAssertEqual(
            bench.server.requests.map(\.target),
            [
                "/.well-known/oauth-authorization-server/t1", "/.well-known/openid-configuration/t1",
                "/t1/.well-known/openid-configuration",
            ])
        let root = LoginBench()
        root.script(missing, metadata("https://id.example"))
        _ = try server("https://id.example", root)
        XCTAssertEqual(
            root.server.requests.map(\.target),
            ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"])
    }

    /// Issuers are compared byte by byte: one with a slash at its end is another issuer (MCP, metadata-issuer-mismatch).
    /// U+212A is the sign of Kelvin, and equal to a K in Swift.
    func testTheMetadataOfAnotherIssuerIsNotUsed() throws {
        for other in [
            "https://id.example/K/", "https://evil.example", "https://ID.example/K", "https://id.example/\u{212A}",
        ] {
            let bench = LoginBench()
            bench.script(metadata(other))
            XCTAssertEqual(code { _ = try server("https://id.example/K", bench) }, .issuerMismatch, other)
        }
    }

    func testAFinalSlashThatDiffersIsNamedAsTheDifference() throws {
        let bench = LoginBench()
        bench.script(metadata("https://id.example/"))
        XCTAssertThrowsError(try server("https://id.example", bench)) { error in
            XCTAssertEqual(
                (error as? HTTPClientError)?.message,
                "the metadata of https://id.example names https://id.example/: the final slash differs")
        }
    }

    func testUnavailableMetadataIsADiscoveryError() throws {
        let large = ScriptedResponse(pieces: Array(repeating: Array(repeating: 0x20, count: 1 << 16), count: 32))
        for responses in [
            [], [ScriptedResponse(body: "<html>")], [ScriptedResponse(status: .internalServerError)], [large],
            [ScriptedResponse(status: .found, headers: [.location: "https://evil.example/"])],
            [ScriptedResponse.json(#"{"issuer":7}"#)],
            [metadata("https://id.example", #","device_authorization_endpoint":"x""#)],
            [metadata("https://id.example", #","revocation_endpoint":"http://id.example/r""#)],
        ] {
            let bench = LoginBench()
            for response in responses { bench.script(response) }
            XCTAssertEqual(code { _ = try server("https://id.example", bench) }, .discovery)
        }
        let bench = LoginBench()
        XCTAssertEqual(code { _ = try server("http://id.example", bench) }, .discovery)
        XCTAssertEqual(code { _ = try server("nonsense", bench) }, .discovery)
        XCTAssertEqual(bench.server.requestCount, 0)
        bench.script(
            ScriptedResponse(status: .found, headers: [.location: "/moved"]), metadata("https://id.example"))
        XCTAssertNoThrow(try server("https://id.example", bench), "a redirect of the same origin is followed")
    }

    /// PrimeIntellect-ai/prime-agent#766: the client looked for the server at the resource's own origin.
    func testAResourceIsFoundByItsChallengeOrItsPathOrItsRoot() throws {
        let bench = LoginBench()
        let url = try RequestURL("https://api.example/mcp?x=1")
        let document = ScriptedResponse.json(
            #"{"resource":"https://api.example/mcp","authorization_servers":["https://id.example"],"scopes_supported":["a"]}"#
        )
        bench.script(ScriptedResponse(status: .notFound), ScriptedResponse(status: .notFound), document)
        let found = try result(bench, Discovery(client: bench.client).resource(at: url))
        XCTAssertEqual(found.authorizationServers, ["https://id.example"])
        XCTAssertEqual(found.scopes, ["a"])
        bench.script(document)
        let field: HTTPFields = [.wwwAuthenticate: #"Bearer resource_metadata="https://api.example/meta""#]
        let challenge = AuthenticationChallenge.all(in: field).first
        _ = try result(bench, Discovery(client: bench.client).resource(at: url, challenge: challenge))
        XCTAssertEqual(
            bench.server.requests.map(\.target),
            [
                "/.well-known/oauth-protected-resource/mcp?x=1", "/.well-known/oauth-protected-resource/mcp",
                "/.well-known/oauth-protected-resource", "/meta",
            ])
    }

    func testTheAddressOfAResourcesMetadataKeepsItsFinalSlashAndItsQuery() throws {
        let name = "/.well-known/oauth-protected-resource"
        for (url, targets) in [
            ("https://r.example", [name]), ("https://r.example/", [name]),
            ("https://r.example/?tenant=1", [name + "?tenant=1", name]),
            ("https://r.example/mcp", [name + "/mcp", name]),
            ("https://r.example/mcp/", [name + "/mcp/", name + "/mcp", name]),
            ("https://r.example/mcp?tenant=1", [name + "/mcp?tenant=1", name + "/mcp", name]),
        ] {
            let bench = LoginBench()
            XCTAssertEqual(
                code { _ = try result(bench, Discovery(client: bench.client).resource(at: RequestURL(url))) },
                .discovery)
            XCTAssertEqual(bench.server.requests.map(\.target), targets, url)
        }
    }

    /// A resource names the issuer, and the text would reach a terminal.
    func testAnIssuerWithAQueryAFragmentOrHiddenCharactersIsRefusedWithoutShowingThem() throws {
        for issuer in [
            "https://id.example?a=b", "https://id.example/#a", "https://id.example/#\u{1B}[2J",
            "https://id.example/\u{9B}2J", "https://id.example/\u{202E}x",
        ] {
            let bench = LoginBench()
            let resource = ProtectedResource(resource: "https://r.example/a", authorizationServers: [issuer])
            let discovery = Discovery(client: bench.client)
            for single in [discovery.server(issuer: issuer), discovery.server(of: resource)] {
                XCTAssertThrowsError(try result(bench, single), issuer) { error in
                    XCTAssertEqual((error as? HTTPClientError)?.code, .discovery)
                    XCTAssertTrue("\(error)".utf8.allSatisfy { (0x20...0x7E).contains($0) }, "\(error)")
                }
            }
            XCTAssertEqual(bench.server.requestCount, 0)
        }
        let hidden = ProtectedResource(resource: "https://r.example/\u{202E}x", authorizationServers: [])
        let bench = LoginBench()
        XCTAssertThrowsError(try result(bench, Discovery(client: bench.client).server(of: hidden))) { error in
            XCTAssertTrue("\(error)".utf8.allSatisfy { (0x20...0x7E).contains($0) }, "\(error)")
        }
    }

    func testTheMetadataOfAnotherResourceIsNotUsed() throws {
        let url = try RequestURL("https://api.example/mcp")
        for (resource, isRight) in [
            ("https://api.example/mcp", true), ("https://api.example", true), ("https://api.example/", true),
            ("https://api.example/mc", false), ("https://evil.example/mcp", false), ("urn:x", false),
        ] {
            let bench = LoginBench()
            bench.script(.json(#"{"resource":"\#(resource)","authorization_servers":["https://id.example"]}"#))
            let failure = code { _ = try result(bench, Discovery(client: bench.client).resource(at: url)) }
            XCTAssertEqual(failure, isRight ? nil : .discovery, resource)
        }
    }

    /// An application with one page shows it at every address. Other servers respond with 200 and an error in JSON there.
    func testAPageOrAnErrorInsteadOfADocumentDoesNotEndTheSearch() throws {
        let resource = #"{"resource":"https://api.example","authorization_servers":["https://id.example"]}"#
        let login = ScriptedResponse(status: .found, headers: [.location: "https://sso.example/login"])
        let pages: [(ScriptedResponse, problem: String)] = [
            (ScriptedResponse(body: "<html>"), "what is there is no JSON"),
            (.json(#"{"error":"not found"}"#), "what is there is no metadata"),
            (login, "it redirects to another origin"),
        ]
        for (page, problem) in pages {
            let bench = LoginBench()
            bench.script(page, metadata("https://id.example"))
            XCTAssertEqual(try server("https://id.example", bench).tokenEndpoint?.pathAndQuery, "/token")
            let empty = LoginBench()
            empty.script(page, page)
            XCTAssertThrowsError(try server("https://id.example", empty)) { error in
                XCTAssertTrue("\(error)".contains(problem), "\(error)")
            }
            let url = try RequestURL("https://api.example/mcp")
            let below = LoginBench()
            below.script(page, .json(resource))
            XCTAssertNil(code { _ = try result(below, Discovery(client: below.client).resource(at: url)) })
        }
    }

    /// A wrong issuer, a server that is down and an unknown authority need different answers.
    func testTheErrorOfMetadataThatNoResponseHasBroughtNamesItsCause() throws {
        let bench = LoginBench()
        bench.script(
            .failure(
                HTTPClientError(
                    .tls, phase: .securing, message: "the certificate is signed by itself",
                    recoverySuggestion: .trustCertificate)))
        XCTAssertThrowsError(try server("https://id.example", bench)) { error in
            let error = error as? HTTPClientError
            XCTAssertEqual(error?.code, .discovery)
            XCTAssertEqual(error?.phase, .securing)
            XCTAssertEqual(error?.recoverySuggestion, .trustCertificate)
            XCTAssertTrue(error?.message.contains("tls: the certificate is signed by itself") == true)
        }
    }

    /// A server of the public network must not make this machine send requests to its private network.
    func testAPrivateAddressIsUsedOnlyIfItsOwnNetworkNamesIt() throws {
        let addresses = [
            "https://127.0.0.1", "https://10.0.0.1", "https://192.168.1.1", "https://172.16.0.1",
            "https://169.254.169.254",
            "https://100.64.0.1", "https://0.0.0.0", "https://[::1]", "https://[fd00::1]", "https://[fe80::1]",
            "https://[fe80::1%25eth0]", "https://[::1%25lo]",
            "https://[::ffff:10.0.0.1]", "https://[::10.0.0.1]", "https://[::]", "https://localhost",
            "https://2130706433",
            "https://0x7f000001", "https://127.1",
        ]
        for address in addresses {
            let bench = LoginBench()
            bench.script(metadata("https://id.example", #","revocation_endpoint":"\#(address)/r""#))
            XCTAssertEqual(code { _ = try server("https://id.example", bench) }, .discovery, address)
            let resource = ProtectedResource(resource: "https://r.example/a", authorizationServers: [address])
            XCTAssertEqual(
                code { _ = try result(bench, Discovery(client: bench.client).server(of: resource)) }, .discovery,
                address)
            XCTAssertEqual(bench.server.requestCount, 1)
        }
        for address in ["https://172.15.0.1", "https://100.128.0.1", "https://[2001:db8::1]", "https://8.8.8.8"] {
            let bench = LoginBench()
            bench.script(metadata("https://id.example", #","revocation_endpoint":"\#(address)/r""#))
            XCTAssertEqual(try server("https://id.example", bench).revocationEndpoint?.origin.description, address)
        }
        let bench = LoginBench()
        bench.script(
            .json(#"{"issuer":"http://127.0.0.1:9","token_endpoint":"http://127.0.0.1:9/token"}"#))
        let resource = ProtectedResource(resource: "http://localhost:8/a", authorizationServers: ["http://127.0.0.1:9"])
        XCTAssertEqual(
            try result(bench, Discovery(client: bench.client).server(of: resource)).tokenEndpoint?.port, 9)
    }

    /// auth0/express-openid-connect PR#865: the client sent revocations to the endpoint without certificates.
    func testAClientWithACertificateUsesTheMTLSEndpoints() throws {
        let bench = LoginBench()
        bench.script(
            metadata(
                "https://id.example",
                #","revocation_endpoint":"https://id.example/revoke","mtls_endpoint_aliases":{"#
                    + #""token_endpoint":"https://mtls.id.example/token","#
                    + #""revocation_endpoint":"https://mtls.id.example/revoke"}"#))
        let found = try server("https://id.example", bench)
        XCTAssertEqual(found.tokenEndpoint?.host, "id.example")
        XCTAssertEqual(found.forMutualTLS().tokenEndpoint?.host, "mtls.id.example")
        XCTAssertEqual(found.forMutualTLS().revocationEndpoint?.host, "mtls.id.example")
    }
}
