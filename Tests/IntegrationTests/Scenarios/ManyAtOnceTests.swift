import FreshetAuth
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetLoop
import HTTPTypes
import XCTest

/// Tests many requests that are sent at once with an expired token.
final class ManyAtOnceTests: ScenarioTestCase {
    private static let calls = 50

    private struct Setting {
        var server: TokenServer
        var gate: RefreshGate
        var client: HTTPClient
        var scheduler: LoopScheduler

        /// The results of many calls that start together, in one turn of the loop, so that none of them knows of another's
        /// refusal.
        func everybody() -> Single<[Result<Int, HTTPClientError>]> {
            Observable.from(Array(0..<ManyAtOnceTests.calls)).flatMap { number in
                client.get("\(server.url)/\(number)").validate()
                    .map { Result<Int, HTTPClientError>.success($0.status.code) }
                    .catch { error in
                        guard let error = error as? HTTPClientError else { throw error }
                        return .just(.failure(error))
                    }
            }.toArray().subscribe(on: scheduler)
        }
    }

    private func setting() throws -> Setting {
        var rules = TokenServer.Rules()
        rules.expiryResponse = .status(419)
        rules.refreshDelay = .milliseconds(50)
        let server = try TokenServer(on: loop, rules: rules)
        let authenticator = try oauth(server, expired: ExpiryRule(statuses: [419]))
        let gate = gate(MemoryStore(Credential(server.signIn())), authenticator)
        let interceptor = AuthenticationInterceptor(
            gate: gate, authenticator: authenticator, origins: [try Origin(server.url)])
        return Setting(server: server, gate: gate, client: client(interceptor), scheduler: scheduler)
    }

    func testAllCallsAreReplayedWithTheTokenOfOneRefresh() async throws {
        let setting = try setting()
        let refreshes = collected(setting.gate.refreshes)
        setting.server.expireTokens()
        let results = try await setting.everybody().value
        XCTAssertEqual(results.compactMap { try? $0.get() }, Array(repeating: 200, count: Self.calls))
        let counts = setting.server.counts
        XCTAssertEqual(counts.refreshes, 1)
        XCTAssertEqual(counts.reuses, 0)
        XCTAssertEqual(counts.rejected, Self.calls)
        XCTAssertEqual(counts.accepted, Self.calls)
        let replays = setting.server.resourceRequests.suffix(Self.calls)
        XCTAssertEqual(Set(replays.map { $0.bearerToken }), ["access-2.1"])
        XCTAssertEqual(refreshes.withLock { $0.map(\.outcome) }, [.refreshed])
    }

    func testACallWhose419ArrivesAfterTheRefreshIsReplayedWithoutARefresh() async throws {
        let server = try ScriptedServer(on: loop)
        let barrier = Barrier()
        let reissued = Locked(0)
        server.route(.post, "/token") { _ in
            reissued.withLock { $0 += 1 }
            return .json(#"{"access_token":"new","refresh_token":"r2"}"#)
        }
        server.route { request in
            if request.bearerToken == "new" { return ScriptedResponse(body: "in") }
            let refusal = ExpiryResponse.status(419).response
            return request.path == "/late" ? refusal.delayed(until: barrier) : refusal
        }
        let authenticator = try OAuthAuthenticator(
            tokenURL: try RequestURL("\(server.url)/token"), expired: ExpiryRule(statuses: [419]),
            client: refreshClient)
        let gate = gate(MemoryStore(Credential(accessToken: "old", refreshToken: "r1")), authenticator)
        let interceptor = AuthenticationInterceptor(
            gate: gate, authenticator: authenticator, origins: [try Origin(server.url)])
        let client = client(interceptor)

        let lateReceived = expectation(description: "late is asked")
        let arrival = server.received.subscribe { if $0.element?.path == "/late" { lateReceived.fulfill() } }
        async let late = client.get("\(server.url)/late").value
        await fulfillment(of: [lateReceived], timeout: 20)
        arrival.dispose()
        let early = try await client.get("\(server.url)/early").value
        XCTAssertEqual(early.text, "in")
        XCTAssertEqual(reissued.withLock { $0 }, 1)
        barrier.release()
        let text = try await late.text
        XCTAssertEqual(text, "in")
        XCTAssertEqual(reissued.withLock { $0 }, 1)
        XCTAssertEqual(server.requests.map(\.path), ["/late", "/early", "/token", "/early", "/late"])
    }

    func testARefusedRefreshFailsEveryCallAndRequiresOneLogin() async throws {
        let setting = try setting()
        let logins = loginRequests(of: setting.gate)
        setting.server.revokeSessions()
        let results = try await setting.everybody().value
        XCTAssertEqual(results.count, Self.calls)
        for result in results {
            guard case .failure(let error) = result else { return XCTFail("a call succeeded") }
            XCTAssertEqual(error.code, .loginRequired)
            XCTAssertEqual(error.response?.status.code, 419)
            XCTAssertEqual((error.underlying as? RefreshRefusal)?.response?.status, .badRequest)
        }
        XCTAssertEqual(setting.server.counts.refusals, 1)
        XCTAssertEqual(logins.withLock { $0 }, [.refused])
    }

    func testATemporaryRefreshFailureFailsEveryCallAndRequiresNoLogin() async throws {
        let setting = try setting()
        let logins = loginRequests(of: setting.gate)
        setting.server.expireTokens()
        let barrier = Barrier()
        setting.server.scriptRefreshes(with: ScriptedResponse(status: .badGateway).delayed(until: barrier))
        let rejected = expectation(description: "all are refused")
        let refusals = setting.server.server.received.subscribe { event in
            if event.element?.number == Self.calls + 1 { rejected.fulfill() }
        }
        async let all = setting.everybody().value
        await fulfillment(of: [rejected], timeout: 20)
        refusals.dispose()
        // The refusals that are on their way arrive before the response to the refresh.
        try await waitForResponses()
        barrier.release()
        let results = try await all
        let codes = results.map { result -> HTTPClientError.Code? in
            if case .failure(let error) = result { error.code } else { nil }
        }
        XCTAssertEqual(Set(codes), [.refreshFailed])
        XCTAssertEqual(setting.server.requests.filter { $0.path == "/token" }.count, 1)
        XCTAssertEqual(logins.withLock { $0 }, [])
        let again = try await setting.everybody().value
        XCTAssertEqual(again.compactMap { try? $0.get() }.count, Self.calls)
        XCTAssertEqual(setting.server.counts.refreshes, 1)
    }
}
