import FreshetAuth
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetLoop
import HTTPTypes
import XCTest

@testable import FreshetCurl

/// Tests Caddy, which responds to a POST before it has read the body, and then resets the stream without an error.
final class CaddyTests: ServerTestCase {
    private static let goodToken = "access-2.1"

    private func start() throws -> ServerProcess {
        try ServerProcess("caddy") { site in
            let configuration = try site.write(
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
                http://localhost:\(site.plainPort) {
                    import responses
                }
                https://localhost:\(site.securePort) {
                    tls \(site.certificate) \(site.key)
                    import responses
                }
                """, to: "Caddyfile")
            return ["run", "--config", configuration, "--adapter", "caddyfile"]
        }
    }

    func testAResponseBeforeTheEndOfTheBodyIsComplete() throws {
        let server = try start()
        let transport = trusting(server)
        // When libcurl before 8.1 reads the reset, it drops the part of the response that it has not passed on: up to 8 of 3000
        // responses, and up to 5 of 500 whose body has to wait for the server's window. With the quirks off it may drop any of
        // them.
        let large = RequestBody.bytes([UInt8](repeating: 7, count: 20_000))
        for (count, body) in [(3000, RequestBody.text("small")), (500, large)] {
            let lost = Self.isForgetful ? (Quirks.areOff ? count : 30) : 0
            assertNoneIsLost(
                count, .post, server.secure, through: transport, body: body, version: .http2, lost: lost)
        }
    }

    func testAResponseBeforeTheEndOfTheBodyIsCompleteOverHTTP1() throws {
        let server = try start()
        assertNoneIsLost(3000, .post, server.plain, through: transport(), body: .text("small"))
        assertNoneIsLost(1000, .post, server.secure, through: trusting(server), body: .text("small"), version: .http1)
    }

    func testA401BeforeTheEndOfTheBodyCausesARefreshAndAReplay() async throws {
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
        let lost = Locked(0)
        let isForgetful = Self.isForgetful
        let texts = try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 0..<300 {
                group.addTask {
                    do {
                        return try await client.post(url, body: .text("small")).validate().value.text
                    } catch let error as HTTPClientError where isForgetful && error.code == .connectionLost {
                        lost.withLock { $0 += 1 }
                        return nil
                    }
                }
            }
            return try await group.compactMap { $0 }.reduce(into: []) { $0.append($1) }
        }
        let losses = lost.withLock { $0 }
        XCTAssertEqual(texts, Array(repeating: "ok", count: 300 - losses))
        XCTAssertLessThanOrEqual(losses, Quirks.areOff ? 299 : 30)
        XCTAssertEqual(tokens.counts.refreshes, 1)
    }
}
