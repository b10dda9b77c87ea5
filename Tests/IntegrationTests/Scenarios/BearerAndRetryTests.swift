import FreshetAuth
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests the bearer header, and the replay after a refresh.
final class BearerAndRetryTests: ScenarioTestCase {
    private struct Setting {
        var server: TokenServer
        var store: MemoryStore
        var gate: RefreshGate
        var client: HTTPClient
    }

    private func setting(
        _ expiry: TokenServer.Expiry, refreshable: Bool = true, retryDelay: Duration = .zero
    ) throws -> Setting {
        var rules = TokenServer.Rules()
        rules.expiry = expiry
        let server = try TokenServer(on: loop, rules: rules)
        var credential = Credential(server.signIn())
        if !refreshable { credential.refreshToken = nil }
        let store = MemoryStore(credential)
        let authenticator = try oauth(server)
        let gate = gate(store, authenticator)
        let interceptor = AuthenticationInterceptor(
            gate: gate, authenticator: authenticator, origins: [try Origin(server.url)], retryDelay: retryDelay)
        return Setting(server: server, store: store, gate: gate, client: client(interceptor))
    }

    func testEveryRequestCarriesTheTokenUnlessItHasItsOwnAuthorization() async throws {
        let setting = try setting(.never)
        let url = setting.server.url
        _ = try await setting.client.get("\(url)/a").validate().value
        let refused = try await setting.client.get("\(url)/b", headers: [.authorization: "ApiKey k"]).value
        XCTAssertEqual(refused.status, .unauthorized)
        XCTAssertEqual(setting.server.requests.map { $0.headers[.authorization] }, ["Bearer access-1.1", "ApiKey k"])
        XCTAssertEqual(setting.server.counts.refreshes, 0)
    }

    func testA401CausesARefreshThatIsStoredAndAReplay() async throws {
        let setting = try setting(.afterUses([1]))
        for _ in 0..<2 {
            let body = RequestBody.text("the body")
            _ = try await setting.client.post("\(setting.server.url)/items", body: body).validate().value
        }
        XCTAssertEqual(
            setting.server.resourceRequests.map { $0.headers[.authorization] },
            ["Bearer access-1.1", "Bearer access-1.1", "Bearer access-2.1"])
        XCTAssertEqual(setting.server.resourceRequests.map(\.text), ["the body", "the body", "the body"])
        let stored = try await setting.store.load().value.credential
        XCTAssertEqual(stored?.accessToken, "access-2.1")
        XCTAssertEqual(stored?.refreshToken, "refresh-2.1")
        XCTAssertEqual(setting.server.counts.refreshes, 1)
    }

    func testARequestIsReplayedAtMostTwice() async throws {
        let setting = try setting(.everyUses(0))
        let error = await failure(of: setting.client.get("\(setting.server.url)/items"))
        XCTAssertEqual(error.code, .refreshStorm)
        XCTAssertEqual(error.response?.status, .unauthorized)
        XCTAssertEqual(error.response?.text, #"{"error":"invalid_token"}"#)
        XCTAssertEqual(setting.server.resourceRequests.count, 3)
        XCTAssertEqual(setting.server.counts.refreshes, 2)
    }

    func testAReplayWaitsForTheRetryDelay() async throws {
        let setting = try setting(.afterUses([0]), retryDelay: .milliseconds(60))
        let start = ContinuousClock.now
        _ = try await setting.client.get("\(setting.server.url)/items").validate().value
        XCTAssertGreaterThanOrEqual(ContinuousClock.now - start, .milliseconds(60))
    }

    func testWithoutARefreshTokenTheCallerReceivesTheOriginalError() async throws {
        let setting = try setting(.everyUses(0), refreshable: false)
        let logins = loginRequests(of: setting.gate)
        let error = await failure(of: setting.client.get("\(setting.server.url)/items"))
        XCTAssertEqual(error.code, .loginRequired)
        XCTAssertEqual(error.response?.status, .unauthorized)
        XCTAssertEqual(error.response?.text, #"{"error":"invalid_token"}"#)
        XCTAssertEqual(setting.server.requests.map(\.path), ["/items"])
        XCTAssertEqual(logins.withLock { $0 }.count, 1)
    }

    func testWhenTheRefreshIsRefusedTheCallerReceivesBothErrors() async throws {
        let setting = try setting(.everyUses(0))
        let logins = loginRequests(of: setting.gate)
        setting.server.revokeSessions()
        let error = await failure(of: setting.client.get("\(setting.server.url)/items"))
        XCTAssertEqual(error.code, .loginRequired)
        XCTAssertEqual(error.response?.status, .unauthorized)
        XCTAssertEqual(error.response?.text, #"{"error":"invalid_token"}"#)
        XCTAssertEqual((error.underlying as? RefreshRefusal)?.response?.text, #"{"error":"invalid_grant"}"#)
        XCTAssertEqual(logins.withLock { $0 }, [.refused])
    }

    func testATemporaryFailureKeepsTheTokensAndTheNextRequestTriesAgain() async throws {
        let setting = try setting(.afterUses([0]))
        let logins = loginRequests(of: setting.gate)
        setting.server.scriptRefreshes(
            with: ScriptedResponse(status: .serviceUnavailable), ScriptedResponse(status: .tooManyRequests), .reset)
        // After the first refusal the gate knows that the token has expired, so that later requests wait for a new one at once.
        for (expected, statusCode) in [(HTTPClientError.Code.status, 401), (.status, nil), (.connectionLost, nil)] {
            let error = await failure(of: setting.client.get("\(setting.server.url)/items"))
            XCTAssertEqual(error.code, .refreshFailed)
            XCTAssertEqual((error.underlying as? HTTPClientError)?.code, expected)
            XCTAssertEqual(error.response?.status.code, statusCode)
        }
        XCTAssertEqual(setting.server.resourceRequests.count, 1)
        let stored = try await setting.store.load().value
        XCTAssertEqual(stored.credential?.refreshToken, "refresh-1.1")
        XCTAssertFalse(stored.isRefused)
        _ = try await setting.client.get("\(setting.server.url)/items").validate().value
        XCTAssertEqual(logins.withLock { $0 }, [])
        XCTAssertEqual(setting.server.counts.refreshes, 1)
    }
}
