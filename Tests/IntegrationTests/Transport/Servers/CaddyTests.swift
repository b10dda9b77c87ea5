import FreshetAuth
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetLoop
import HTTPTypes
import XCTest

@testable import FreshetCurl

/// Caddy responds to a POST before it has read the body, and resets the stream without an error after that.
final class CaddyTests: ServerTestCase {
    private static let goodToken = "access-2.1"

    private func start() throws -> ServerProcess {
        try ServerProcess("caddy") { place in
            let configuration = try place.write(
                """
                {
                    admin off
                    auto_https off
                    skip_install_trust
                    default_bind 127.0.0.1
                }
                (responses) {
                    @expired {
                        path /resource
                        not header Authorization "Bearer \(Self.goodToken)"
                    }
                    respond @expired "expired" 401
                    respond "ok" 200
                }
                http://localhost:\(place.plainPort) {
                    import responses
                }
                https://localhost:\(place.securePort) {
                    tls \(place.certificate) \(place.key)
                    import responses
                }
                """, to: "Caddyfile")
            return ["run", "--config", configuration, "--adapter", "caddyfile"]
        }
    }

    func testAResponseBeforeTheBodyWasReadIsComplete() throws {
        let server = try start()
        let transport = trusting(server)
        // With the quirks off a libcurl that forgets early responses loses many, and always some whose body has to wait for
        // the server's window.
        let isLossy = Self.isForgetful && Quirks.areOff
        assertNoneIsLost(
            3000, .post, server.secure, through: transport, body: .text("small"), version: .http2,
            lost: isLossy ? 1500 : Self.isForgetful ? 15 : 0)
        let large = RequestBody.bytes([UInt8](repeating: 7, count: 20_000))
        assertNoneIsLost(
            500, .post, server.secure, through: transport, body: large, version: .http2,
            lost: Self.isForgetful ? 250 : 0)
    }

    func testAResponseBeforeTheBodyWasReadIsCompleteOverHTTP1() throws {
        let server = try start()
        assertNoneIsLost(3000, .post, server.plain, through: transport(), body: .text("small"))
        assertNoneIsLost(1000, .post, server.secure, through: trusting(server), body: .text("small"), version: .http1)
    }

    func testA401BeforeTheBodyWasReadLeadsToARefreshAndAReplay() async throws {
        let server = try start()
        let tokens = try TokenServer(on: loop)
        let scheduler = LoopScheduler(loop)
        let authenticator = try OAuthAuthenticator(
            tokenURL: try RequestURL(tokens.tokenURL),
            client: HTTPClient(transport: transport(), scheduler: scheduler))
        let gate = RefreshGate(
            store: MemoryStore(Credential(tokens.signIn())), authenticator: authenticator, scheduler: scheduler)
        let interceptor = AuthenticationInterceptor(
            gate: gate, authenticator: authenticator, origins: [try Origin(server.secure)])
        let client = HTTPClient(transport: trusting(server), scheduler: scheduler, interceptors: [interceptor])
        let url = "\(server.secure)/resource"
        let texts = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<300 {
                group.addTask { try await client.post(url, body: .text("small")).validate().value.text }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        XCTAssertEqual(texts, Array(repeating: "ok", count: 300))
        XCTAssertEqual(tokens.counts.refreshes, 1)
    }
}
