import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

@testable import FreshetAuth

/// Tests that a request that waits while the user changes is not sent as the next user.
final class RequestsOfASessionTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    private func changeUser(of bench: ClientBench) {
        _ = bench.gate.logout().subscribe { _ in }
        bench.scheduler.advanceTo(bench.scheduler.clock + 100)
        _ = bench.gate.login(pair(1)).subscribe { _ in }
        bench.scheduler.advanceTo(bench.scheduler.clock + 100)
    }

    func testARequestThatWaitsInALayerIsNotSentAsTheNextUser() throws {
        let bench = try ClientBench()
        let client = bench.client.with(layers: [HeldRequests(scheduler: bench.scheduler)])
        for login in [false, true] {
            // With and without a credential that the gate has read before.
            if login { _ = bench.result(bench.gate.credential()) }
            let ending = Ending<Response>()
            _ = client.get("https://api.example/x").subscribe { ending.set($0) }
            bench.scheduler.advanceTo(bench.scheduler.clock + 1000)
            changeUser(of: bench)
            let next = Ending<Response>()
            _ = client.get("https://api.example/next").subscribe { next.set($0) }
            bench.scheduler.start()
            XCTAssertEqual(ending.error?.code, .loginRequired)
            XCTAssertEqual(ending.error?.isUnsent, true)
            XCTAssertEqual(try next.value?.get().text, "hello")
        }
        XCTAssertEqual(bench.api.requests.map(\.path), ["/next", "/next"])
    }

    func testARequestThatBeginsDuringALogoutBelongsToTheNextSession() throws {
        let bench = try ClientBench()
        let client = bench.client.with(layers: [HeldRequests(scheduler: bench.scheduler)])
        _ = bench.result(bench.gate.credential())
        let ending = Ending<Response>()
        _ = bench.gate.logout().subscribe { _ in }
        _ = bench.gate.login(pair(1)).subscribe { _ in }
        _ = client.get("https://api.example/x").subscribe { ending.set($0) }
        bench.scheduler.start()
        XCTAssertEqual(try ending.value?.get().text, "hello")
    }

    /// - Parameter change: logs the user out and another one in.
    private func checkThatAWaitingRequestFails(
        through interceptors: [any RequestInterceptor], on bench: ClientBench, line: UInt = #line,
        _ change: () throws -> Void
    ) rethrows {
        let client = bench.client.with(interceptors: interceptors, layers: [HeldRequests(scheduler: bench.scheduler)])
        let ending = Ending<Response>()
        _ = client.get("https://api.example/x").subscribe { ending.set($0) }
        bench.scheduler.advanceTo(bench.scheduler.clock + 1000)
        try change()
        bench.scheduler.start()
        XCTAssertEqual(ending.error?.code, .loginRequired, line: line)
        XCTAssertEqual(bench.api.requestCount, 0, line: line)
    }

    private func accounts(_ bench: ClientBench, _ origins: String...) throws -> AccountInterceptor {
        let (authenticator, scheduler) = (bench.authenticator, bench.scheduler)
        let origins = Set(try origins.map { try Origin($0) })
        return AccountInterceptor(defaultKey: CredentialKey(account: "anna")) { _ in
            AuthenticationInterceptor(
                authenticator: authenticator, store: MemoryStore(), origins: origins, scheduler: scheduler)
        }
    }

    func testARequestOfARemovedAccountIsNotSentAsItsNextUser() throws {
        let bench = try ClientBench()
        let accounts = try accounts(bench, "https://api.example")
        let key = CredentialKey(account: "anna")
        _ = bench.result(try accounts.gate(for: key).login(pair(1)))
        try checkThatAWaitingRequestFails(through: [accounts], on: bench) {
            _ = try accounts.gate(for: key).logout().subscribe { _ in }
            bench.scheduler.advanceTo(bench.scheduler.clock + 100)
            accounts.remove(key)
            _ = try accounts.gate(for: key).login(pair(1)).subscribe { _ in }
        }
    }

    func testARequestOfTheSecondOfTwoInterceptorsWithAccountsIsNotSentAsTheNextUser() throws {
        let bench = try ClientBench()
        let (other, accounts) = (
            try accounts(bench, "https://other.example"), try accounts(bench, "https://api.example")
        )
        let gate = try accounts.gate(for: CredentialKey(account: "anna"))
        _ = bench.result(gate.login(pair(1)))
        checkThatAWaitingRequestFails(through: [other, accounts], on: bench) {
            _ = gate.logout().subscribe { _ in }
            bench.scheduler.advanceTo(bench.scheduler.clock + 100)
            _ = gate.login(pair(1)).subscribe { _ in }
        }
    }

    func testARequestOfARealmIsNotSentAsTheNextUser() throws {
        let bench = try ClientBench()
        let interceptors = bench.client.interceptors.compactMap { $0 as? AuthenticationInterceptor }
        let realms = RealmInterceptor([], otherwise: interceptors[0])
        _ = bench.result(bench.gate.credential())
        checkThatAWaitingRequestFails(through: [realms], on: bench) { changeUser(of: bench) }
    }

    func testAWaitingRequestHasNoAccountOfTheNextUser() throws {
        let bench = try ClientBench()
        _ = bench.result(bench.gate.credential())
        let request = bench.client.beginning(try Request(.get, "https://api.example/x"))
        changeUser(of: bench)
        guard case .ready(let account) = bench.client.interceptors[0].account(of: request) else { return XCTFail() }
        XCTAssertEqual(account, RequestAccount(loginID: nil))
    }

    func testARetryAfterManyRefreshesIsNotSentAsTheNextUser() throws {
        let bench = try ClientBench(others: [LateRetry(after: .seconds(1000))])
        bench.api.enqueue(ScriptedResponse(status: .serviceUnavailable))
        var request = try Request(.get, "https://api.example/x")
        request.timeout = .never
        let ending = Ending<Response>()
        _ = bench.client.send(request).subscribe { ending.set($0) }
        for count in 1...20 {
            bench.scheduler.advanceTo(count * 10_000)
            _ = bench.gate.refreshNow().subscribe { _ in }
        }
        bench.scheduler.advanceTo(300_000)
        XCTAssertEqual(bench.gate.current?.generation, 21)
        changeUser(of: bench)
        bench.scheduler.start()
        XCTAssertEqual(ending.error?.code, .loginRequired)
        XCTAssertEqual(bench.api.requestCount, 1)
    }

    func testARequestIsSentWithTheLoginThatFollowsARefusedRefresh() throws {
        let bench = try ClientBench()
        let client = bench.client.with(layers: [HeldRequests(scheduler: bench.scheduler)])
        bench.revoke()
        bench.identity.enqueue(.json(#"{"error":"invalid_grant"}"#, status: .badRequest))
        XCTAssertEqual(bench.failure(bench.get())?.code, .loginRequired)
        let ending = Ending<Response>()
        _ = client.get("https://api.example/x").subscribe { ending.set($0) }
        _ = bench.gate.login(pair(1)).subscribe { _ in }
        bench.newest.withLock { $0 = 1 }
        bench.isRevoked.withLock { $0 = false }
        bench.scheduler.start()
        XCTAssertEqual(try ending.value?.get().text, "hello")
    }
}
