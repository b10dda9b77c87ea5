import FreshetAuth
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests that an expired credential is recognised by the signs that the rule names, and by no others.
final class ExpiryRecognitionTests: FailureTestCase {
    // Ktor 8107: the refresh carried the expired token.
    func testTheRefreshCarriesNoAuthorization() throws {
        let server = server()
        let app = try App(at: server, store: MemoryStore(server.signIn()))
        server.expire()
        XCTAssertEqual(try result(of: app.get()).text, "in")
        XCTAssertEqual(server.identity.requests.map { $0.headers[.authorization] }, [nil])
        XCTAssertEqual(server.leaks, [])
    }

    // Ktor 3516: without WWW-Authenticate nothing was refreshed.
    func testA401WithoutAChallengeIndicatesExpiry() throws {
        let server = server { $0.sign = .status(401) }
        let app = try App(at: server, store: MemoryStore(server.signIn()))
        server.expire()
        XCTAssertEqual(try result(of: app.get()).text, "in")
    }

    // OkHttp 1884, 6737, 3800: the client never recognised 419, 403 and 423 as an expiry.
    func testAnyStatusCanIndicateAnExpiredToken() throws {
        for code in [419, 403, 423] {
            let server = server { $0.sign = .status(code) }
            let app = try App(at: server, store: MemoryStore(server.signIn()), signs: ExpiryRule(statuses: [code]))
            server.expire()
            XCTAssertEqual(try result(of: app.get()).text, "in")
            XCTAssertEqual(server.counts, .init(refreshes: 1))
        }
    }

    // Alamofire 3450, 3265: only the JSON body named the cause. 3450 has been open since 2021.
    func testTheBodyCanIndicateExpiryAndOtherBodiesReachTheCallerWhole() throws {
        let long = String(repeating: "x", count: 200_000)
        let body = ExpiryRule.Body(pointer: try JSONPointer("/errorCode"), equals: ["E05"])
        let server = server { rules in
            rules.sign = .errorCode("E05", status: .internalServerError)
            rules.resource = { request in
                request.path == "/other" ? .json("{\"errorCode\":\"\(long)\"}", status: .badRequest) : .init(body: "in")
            }
        }
        let app = try App(
            at: server, store: MemoryStore(server.signIn()), signs: ExpiryRule(statuses: [], body: body))
        server.expire()
        XCTAssertEqual(try result(of: app.get()).text, "in")
        XCTAssertEqual(server.counts, .init(refreshes: 1))
        XCTAssertEqual(try result(of: app.get("/other")).text, "{\"errorCode\":\"\(long)\"}")
        XCTAssertEqual(server.counts, .init(refreshes: 1))
    }

    // No other client that streams can do this: the client inspects the body, and delivers each piece as it arrives.
    func testAPeekedBodyIsStillStreamed() throws {
        let barrier = Barrier()
        let pieces = (0..<20).map { Array(String(repeating: "\($0 % 10)", count: 10_000).utf8) }
        let server = server { rules in
            rules.resource = { _ in
                ScriptedResponse(status: .badRequest, pieces: pieces).pausing(after: 100_000, until: barrier)
            }
        }
        let app = try App(at: server, store: MemoryStore(server.signIn()))
        let got = Locked<[UInt8]>([])
        let ended = Locked(false)
        let subscription = app.client.events(try Request(.get, StrictServer.origin + "/x")).subscribe { event in
            if case .next(.body(let bytes)) = event { got.withLock { $0 += bytes } }
            if event.isStopEvent { ended.withLock { $0 = true } }
        }
        pass(1)
        XCTAssertEqual(got.withLock { $0.count }, 100_000, "what has come is delivered before the rest has")
        barrier.release()
        pass(1)
        XCTAssertEqual(got.withLock { $0 }, pieces.flatMap { $0 })
        XCTAssertTrue(ended.withLock { $0 })
        subscription.dispose()
    }
}
