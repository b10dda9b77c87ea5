import Foundation
import Freshet
import FreshetHTTPTesting
import HTTPTypes
import XCTest

@testable import FreshetLoad

/// Tests runs that hold the streams of a stub.
final class StreamLoadRunTests: XCTestCase {
    private var resources = 0
    private var loop: Loop!

    override func setUpWithError() throws {
        resources = Resources.total
        loop = try Loop()
    }

    override func tearDown() {
        loop.shutdown()
        loop = nil
        XCTAssertEqual(Resources.total, resources)
    }

    private func plan(_ streams: Int, timeout: Duration = .seconds(60)) -> StreamLoadPlan {
        StreamLoadPlan(streams: streams, concurrency: 2, duration: .milliseconds(5), timeout: timeout)
    }

    private func run(
        _ plan: StreamLoadPlan, respond: @escaping @Sendable (RecordedRequest) -> ScriptedResponse
    ) throws -> StreamLoadRun {
        let scheduler = LoopScheduler(loop)
        let stub = StubTransport(scheduler: scheduler)
        stub.route { respond($0) }
        let target = LoadTarget(
            try Request(.get, "http://a/"), client: HTTPClient(transport: stub, scheduler: scheduler))
        return StreamLoadRun(plan, at: target, on: loop, keepsSeries: false)
    }

    private func stream(isEndless: Bool) -> ScriptedResponse {
        .streaming(isEndless ? .never() : .empty(), headers: [.contentType: "text/event-stream"])
    }

    func testOnlyTheStreamsThatAreOpenAtTheEndShareTheMemory() throws {
        let (endless, ended) = (stream(isEndless: true), stream(isEndless: false))
        let plan = plan(5)
        let outcome = try run(plan) { $0.number < 3 ? ended : endless }.outcome()
        XCTAssertTrue(outcome.table.contains("5 of 5 opened"), outcome.table)
        XCTAssertTrue(outcome.table.contains("3 open at the end"), outcome.table)
        let reported = ReportedRun(name: "a", request: try Request(.get, "http://a/"), date: Date())
        XCTAssertTrue(StreamLoadReport(reported, plan, outcome).html.contains("a: 3 open streams"))
        let closed = try run(plan) { _ in ended }.outcome()
        XCTAssertNil(closed.residentPerStream)
    }

    func testAStreamThatIsTooSlowFailsAtItsDeadline() throws {
        let outcome = try run(plan(3, timeout: .milliseconds(20))) { _ in .silence }.outcome()
        XCTAssertEqual(outcome.failures.byFrequency.map(\.kind), ["timeout"])
        XCTAssertEqual(outcome.failures.count, 3)
        XCTAssertLessThan(outcome.seconds, 0.9)
    }

    func testAPlanWithoutAStreamEndsAtOnce() throws {
        let run = try run(plan(0)) { _ in .silence }
        XCTAssertTrue(run.progress(width: 80).contains("0 of 0 streams open"))
        XCTAssertEqual(run.outcome().asked, 0)
    }

    func testARunOnALoopThatHasEndedEnds() throws {
        loop.shutdown()
        let outcome = try run(plan(3)) { _ in .silence }.outcome()
        XCTAssertEqual(outcome.failuresByFrequency.map(\.kind), ["cancelled"])
        XCTAssertEqual(outcome.open, 0)
    }

    func testALoopThatIsShutDownEndsARunThatHoldsStreamsOrAwaitsThem() throws {
        for response in [stream(isEndless: true), .silence] {
            loop.shutdown()
            loop = try Loop()
            let plan = StreamLoadPlan(streams: 3, concurrency: 2, duration: .seconds(3600), timeout: .seconds(3600))
            let run = try run(plan) { _ in response }
            loop.shutdown()
            let outcome = run.outcome()
            XCTAssertEqual(outcome.failuresByFrequency.map(\.kind), ["cancelled"])
        }
    }

    func testAResponseThatIsRefusedAtOnceIsClosed() throws {
        let isOpen = Locked(false)
        let body = Observable<[UInt8]>.never().do(
            onSubscribe: { isOpen.withLock { $0 = true } }, onDispose: { isOpen.withLock { $0 = false } })
        let outcome = try run(plan(1)) { _ in .streaming(body, headers: [.contentType: "text/html"]) }.outcome()
        XCTAssertEqual(outcome.failures.count, 1)
        XCTAssertFalse(isOpen.withLock { $0 })
    }
}
