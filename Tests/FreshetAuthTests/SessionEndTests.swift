import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

@testable import FreshetAuth

/// Tests that a logout ends the requests that run with the session's credential.
final class SessionEndTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    private func send(_ bench: ClientBench, _ count: Int = 1, to url: String = "https://api.example/x") -> [Ending<
        Response
    >] {
        (0..<count).map { _ in
            let ending = Ending<Response>()
            _ = bench.get(url).subscribe { ending.set($0) }
            return ending
        }
    }

    private func codes(_ endings: [Ending<Response>]) -> Set<HTTPClientError.Code?> {
        Set(endings.map { $0.error?.code })
    }

    func testALogoutEndsWaitingRequestsWithLoginRequired() throws {
        let bench = try ClientBench()
        for _ in 0..<100 { bench.api.enqueue(ScriptedResponse(body: "late").after(.seconds(30))) }
        let endings = send(bench, 100)
        bench.scheduler.advanceTo(1000)
        XCTAssertEqual(codes(endings), [nil])
        _ = bench.result(bench.gate.logout())
        XCTAssertEqual(codes(endings), [.loginRequired])
        XCTAssertEqual(endings[0].error?.origin, "https://api.example")
        XCTAssertEqual(bench.api.abandoned.count, 100)
        XCTAssertEqual(bench.gate.useCount, 0)
    }

    func testALogoutEndsAStreamedResponse() throws {
        let bench = try ClientBench()
        bench.api.enqueue(ScriptedResponse(pieces: [[97], [98]]).pausing(.seconds(30)))
        let endings = send(bench)
        bench.scheduler.advanceTo(1000)
        _ = bench.result(bench.gate.logout())
        XCTAssertEqual(codes(endings), [.loginRequired])
        XCTAssertEqual(endings[0].error?.phase, .receiving)
    }

    func testALogoutDoesNotAffectCompleteRequestsAndOtherOrigins() throws {
        let bench = try ClientBench()
        let complete = send(bench)
        bench.api.enqueue(ScriptedResponse(body: "late").after(.seconds(30)))
        let other = send(bench, to: "https://other.example/")
        bench.scheduler.advanceTo(1000)
        XCTAssertEqual(bench.gate.useCount, 0)
        _ = bench.result(bench.gate.logout())
        XCTAssertEqual(try complete[0].value?.get().text, "hello")
        XCTAssertEqual(try other[0].value?.get().text, "late")
    }

    func testARequestThatWaitsAfterItsAuthenticationIsNotSentAfterALogout() throws {
        try checkWhoWaitsBeforeTheWire { bench in _ = bench.gate.logout().subscribe { _ in } }
    }

    func testARequestThatWaitsAfterItsAuthenticationIsNotSentAfterAnotherLogin() throws {
        try checkWhoWaitsBeforeTheWire { bench in
            _ = bench.gate.logout().subscribe { _ in }
            bench.scheduler.advanceTo(2000)
            _ = bench.gate.login(pair(7)).subscribe { _ in }
        }
    }

    /// Checks that a request is not sent if `happen` ends its session while the request waits for another adapter.
    private func checkWhoWaitsBeforeTheWire(
        file: StaticString = #filePath, line: UInt = #line, whileDoing happen: (ClientBench) -> Void
    ) throws {
        let scheduler = Locked<TestScheduler?>(nil)
        let bench = try ClientBench(others: [SlowAdapter(scheduler: { scheduler.withLock { $0 }! })])
        scheduler.withLock { $0 = bench.scheduler }
        let endings = send(bench)
        bench.scheduler.advanceTo(1000)
        happen(bench)
        bench.scheduler.start()
        XCTAssertEqual(codes(endings), [.loginRequired], file: file, line: line)
        scheduler.withLock { $0 = nil }
    }

    func testACredentialOfALoggedOutSessionIsNotReplacedByTheNextSession() throws {
        let bench = try ClientBench()
        let first = try XCTUnwrap(bench.result(bench.gate.credential())?.get())
        let second = try XCTUnwrap(bench.result(bench.gate.credential(replacing: first.generation))?.get())
        _ = bench.result(bench.gate.logout())
        let other = try XCTUnwrap(bench.result(bench.gate.login(pair(7)))?.get())
        for old in [first, second] {
            XCTAssertEqual(
                bench.failure(bench.gate.credential(replacing: old.generation))?.code, .loginRequired)
        }
        XCTAssertEqual(try bench.result(bench.gate.credential())?.get(), other)
    }

    func testALoginWithoutALogoutContinuesTheSession() throws {
        let bench = try ClientBench()
        let first = try XCTUnwrap(bench.result(bench.gate.credential())?.get())
        let again = try XCTUnwrap(bench.result(bench.gate.login(pair(7)))?.get())
        XCTAssertEqual(try bench.result(bench.gate.credential(replacing: first.generation))?.get(), again)
    }

    func testRequestsWorkAgainAfterALogin() throws {
        let bench = try ClientBench()
        _ = bench.result(bench.gate.logout())
        XCTAssertEqual(codes(send(bench)), [nil])
        bench.scheduler.start()
        _ = bench.result(bench.gate.login(pair(1)))
        XCTAssertEqual(try bench.result(bench.get())?.get().text, "hello")
        bench.api.enqueue(ScriptedResponse(body: "late").after(.seconds(30)))
        let endings = send(bench)
        bench.scheduler.advanceTo(bench.scheduler.clock + 1000)
        _ = bench.result(bench.gate.logout())
        XCTAssertEqual(codes(endings), [.loginRequired])
    }

    func testALogoutEndsOtherStreamsThatUseTheCredential() throws {
        let bench = try ClientBench()
        let codes = Locked<[HTTPClientError.Code?]>([])
        let subscriptions = (0..<10).map { _ in
            bench.gate.withCredential { _ in Observable<Int>.never() }
                .subscribe(onError: { error in codes.withLock { $0.append((error as? HTTPClientError)?.code) } })
        }
        bench.scheduler.start()
        XCTAssertEqual(bench.gate.useCount, 10)
        subscriptions[0].dispose()
        XCTAssertEqual(bench.gate.useCount, 9)
        _ = bench.result(bench.gate.logout())
        XCTAssertEqual(codes.withLock { $0 }, Array(repeating: .loginRequired, count: 9))
        XCTAssertEqual(bench.gate.useCount, 0)
        let late = bench.result(bench.gate.withCredential { _ in Observable.just(1) }.asSingle())
        XCTAssertThrowsError(try late?.get())
    }
}

/// Delays the request for 5 s after the credential has been put on it.
private struct SlowAdapter: RequestInterceptor {
    let scheduler: @Sendable () -> TestScheduler

    func adapt(_ request: inout Request) -> Adaptation {
        .waiting(Observable.just(request).delay(.seconds(5), scheduler: scheduler()).asSingle())
    }
}
