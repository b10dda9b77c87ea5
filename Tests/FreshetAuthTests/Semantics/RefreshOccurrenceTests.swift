import FreshetAuth
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests the promises about when and how often a credential is refreshed, through the public API only.
final class RefreshOccurrenceTests: FailureTestCase {
    func testAPredicateReceivesStatusFieldsAndBody() throws {
        let field = HTTPField.Name("X-Reason")!
        let refusal = ScriptedResponse(status: .init(code: 498), headers: [field: "stale"], body: "token: old")
        let server = server { $0.sign = ExpiryResponse(response: refusal) }
        let signs = ExpiryRule(statuses: []) { response in
            response.status.code == 498 && response.headers[field] == "stale" && response.text.hasSuffix("old")
        }
        let app = try App(at: server, store: MemoryStore(server.signIn()), signs: signs)
        server.expire()
        XCTAssertEqual(try result(of: app.get()).text, "in")
        XCTAssertEqual(server.counts, .init(refreshes: 1))
    }

    func testAResponseThatThePredicateRejectsIsDeliveredWhole() throws {
        let body = String(repeating: "0123456789", count: 50_000)
        let server = server { $0.resource = { _ in ScriptedResponse(status: .init(code: 498), body: body) } }
        let calls = Locked(0)
        let signs = ExpiryRule(statuses: []) { response in
            calls.withLock { $0 += 1 }
            return response.text.contains("never")
        }
        let app = try App(at: server, store: MemoryStore(server.signIn()), signs: signs)
        XCTAssertEqual(try result(of: app.get()).text, body)
        XCTAssertEqual(calls.withLock { $0 }, 1)
        XCTAssertEqual(server.counts, .init())
    }

    func testOneGateInTwoClientsRefreshesOnce() throws {
        let server = server()
        let authenticator = try server.authenticator()
        let app = try App(at: server, store: MemoryStore(server.signIn()), authenticator: authenticator)
        let second = HTTPClient(
            transport: server.api, scheduler: clocks.scheduler,
            interceptors: [
                AuthenticationInterceptor(
                    gate: app.gate, authenticator: authenticator, origins: [try Origin(StrictServer.origin)])
            ])
        server.expire()
        let responses = (0..<50).flatMap { number in
            [start(app.get("/\(number)")), start(second.get(StrictServer.origin + "/\(number)"))]
        }
        finish(responses)
        XCTAssertEqual(responses.compactMap(\.text).count, 100)
        XCTAssertEqual(server.counts, .init(refreshes: 1))
    }

    func testARefreshLimitOfZeroAllowsNoRefresh() throws {
        let server = server()
        let app = try App(at: server, store: MemoryStore(server.signIn())) { $0.refreshLimit = 0 }
        server.expire()
        XCTAssertEqual(error(of: app.get())?.code, .refreshStorm)
        XCTAssertEqual(server.identity.requestCount, 0)
    }

    func testTheLimitsAreConfigurable() throws {
        let server = server { rules in
            rules.refreshDelay = .zero
            rules.resource = { _ in ScriptedResponse(status: .unauthorized) }
        }
        let app = try App(at: server, store: MemoryStore(server.signIn())) { settings in
            settings.maximumReplays = 7
            settings.refreshLimit = 20
        }
        XCTAssertEqual(error(of: app.get())?.code, .refreshStorm)
        XCTAssertEqual(server.api.requestCount, 8)
        XCTAssertEqual(server.counts, .init(refreshes: 7))
    }

    func testARetryAfterDateIsRespected() throws {
        let server = server()
        let app = try App(at: server, store: MemoryStore(server.signIn()))
        server.expire()
        // The time is one minute after the clocks begin.
        server.identity.enqueue(
            .init(status: .serviceUnavailable, headers: [.retryAfter: "Tue, 14 Nov 2023 22:14:20 GMT"]))
        XCTAssertEqual(error(of: app.get())?.code, .refreshFailed)
        pass(50)
        XCTAssertEqual(error(of: app.get())?.code, .refreshFailed)
        XCTAssertEqual(server.identity.requestCount, 1)
        pass(10)
        XCTAssertEqual(try result(of: app.get()).text, "in")
    }

    func testADateInRetryAfterIsComparedWithTheDateOfItsResponse() throws {
        for error in [-1800.0, 1800] {
            clocks.set(wrongBy: error)
            let server = server()
            let app = try App(at: server, store: MemoryStore(server.signIn()))
            server.expire()
            let now = clocks.server
            server.identity.enqueue(
                .init(
                    status: .serviceUnavailable,
                    headers: [.date: Clocks.field(now), .retryAfter: Clocks.field(now + 10)]))
            XCTAssertEqual(self.error(of: app.get())?.code, .refreshFailed)
            pass(9)
            XCTAssertEqual(self.error(of: app.get())?.code, .refreshFailed)
            XCTAssertEqual(server.identity.requestCount, 1, "wrong by \(error) s")
            pass(1)
            XCTAssertEqual(try result(of: app.get()).text, "in", "wrong by \(error) s")
        }
    }

    func testARefreshIsReportedOnceWithCauseGenerationWaitersDurationAndOutcome() throws {
        let server = server { $0.refreshDelay = .seconds(2) }
        let app = try App(at: server, store: MemoryStore(server.signIn()))
        server.expire()
        finish((0..<7).map { start(app.get("/\($0)")) })
        let events = app.refreshes.withLock { $0 }
        XCTAssertEqual(events.count, 1)
        XCTAssertEqual(events.first?.cause, .rejected)
        XCTAssertEqual(events.first?.generation, 1)
        XCTAssertEqual(events.first?.waiters, 7)
        XCTAssertEqual(events.first?.duration, .seconds(2))
        XCTAssertEqual(events.first?.outcome, .refreshed)
    }
}
