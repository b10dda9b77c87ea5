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
        let client = bench.client.with(layers: [Queue(scheduler: bench.scheduler)])
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
        let client = bench.client.with(layers: [Queue(scheduler: bench.scheduler)])
        _ = bench.result(bench.gate.credential())
        let ending = Ending<Response>()
        _ = bench.gate.logout().subscribe { _ in }
        _ = bench.gate.login(pair(1)).subscribe { _ in }
        _ = client.get("https://api.example/x").subscribe { ending.set($0) }
        bench.scheduler.start()
        XCTAssertEqual(try ending.value?.get().text, "hello")
    }

    func testARequestOfARemovedAccountIsNotSentAsItsNextUser() throws {
        let bench = try ClientBench()
        let (authenticator, scheduler) = (bench.authenticator, bench.scheduler)
        let origins: Set = [try Origin("https://api.example")]
        let accounts = AccountInterceptor(defaultKey: CredentialKey(account: "anna")) { _ in
            AuthenticationInterceptor(
                authenticator: authenticator, store: MemoryStore(), origins: origins, scheduler: scheduler)
        }
        let client = bench.client.with(interceptors: [accounts], layers: [Queue(scheduler: scheduler)])
        let key = CredentialKey(account: "anna")
        _ = bench.result(try accounts.gate(for: key).login(pair(1)))
        let ending = Ending<Response>()
        _ = client.get("https://api.example/x").subscribe { ending.set($0) }
        scheduler.advanceTo(scheduler.clock + 1000)
        let logout = try accounts.gate(for: key).logout().subscribe { _ in }
        scheduler.advanceTo(scheduler.clock + 100)
        accounts.remove(key)
        let login = try accounts.gate(for: key).login(pair(1)).subscribe { _ in }
        scheduler.start()
        XCTAssertEqual(ending.error?.code, .loginRequired)
        XCTAssertEqual(bench.api.requestCount, 0)
        logout.dispose()
        login.dispose()
    }

    func testARetryAfterManyRefreshesIsNotSentAsTheNextUser() throws {
        let bench = try ClientBench(others: [LateRetry()])
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
        let client = bench.client.with(layers: [Queue(scheduler: bench.scheduler)])
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

/// Holds each request back for five seconds.
private struct Queue: TransportLayer {
    let scheduler: TestScheduler

    func wrapping(_ transport: any Transport) -> any Transport {
        ObservableTransport(unprepared: { [scheduler] request, receiver in
            Observable.just(()).delay(.seconds(5), scheduler: scheduler)
                .flatMap { transport.parts(request, for: receiver) }
        })
    }
}

private struct LateRetry: RequestInterceptor {
    func retry(_ attempt: Attempt) -> Single<RetryResult> {
        if case .response(let response) = attempt.outcome, response.status == .serviceUnavailable {
            return .just(.retryWithDelay(.seconds(1000)))
        }
        return .just(.doNotRetry)
    }
}
