import Freshet
import FreshetHTTPTesting
import HTTPTypes
import Synchronization
import XCTest

@testable import FreshetLoad

/// Tests runs against a stub, whose responses come within the subscribing call.
final class LoadRunTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    private func run(
        _ plan: LoadPlan, on loops: [Loop], keepsSeries: Bool = false,
        respond: @escaping @Sendable (RecordedRequest) -> ScriptedResponse = { _ in ScriptedResponse(body: "a") }
    ) throws -> LoadRun {
        let scheduler = LoopScheduler(loops[0])
        let stub = StubTransport(scheduler: scheduler, script: ResponseScript(keepsRequests: false))
        stub.route { respond($0) }
        let target = LoadTarget(
            try Request(.get, "http://a/"), client: HTTPClient(transport: stub, scheduler: scheduler))
        return LoadRun(plan, at: target, on: loops, keepsSeries: keepsSeries)
    }

    func testSynchronousResponsesDoNotOutlastTheDuration() throws {
        let loop = try Loop()
        defer { loop.shutdown() }
        let plan = LoadPlan(requests: 20_000, duration: .milliseconds(5), concurrency: 1)
        let outcome = try run(plan, on: [loop]).outcome()
        XCTAssertGreaterThan(outcome.requests, 0)
        XCTAssertLessThan(outcome.requests, 20_000)
    }

    func testSynchronousResponsesDoNotOutlastAStop() throws {
        let loop = try Loop()
        defer { loop.shutdown() }
        for rate in [nil, 1e6] {
            let started = Locked<LoadRun?>(nil)
            let plan = LoadPlan(requests: 20_000, duration: nil, concurrency: 1, rate: rate)
            let run = try run(plan, on: [loop]) { _ in
                started.withLock { $0 }?.stop()
                return ScriptedResponse(body: "a")
            }
            started.withLock { $0 = run }
            XCTAssertLessThan(run.outcome().requests, 20_000, "rate \(String(describing: rate))")
            started.withLock { $0 = nil }
        }
    }

    func testTheTimesOfFailuresAreKept() throws {
        let loop = try Loop()
        defer { loop.shutdown() }
        let plan = LoadPlan(requests: 3, duration: nil, concurrency: 1)
        let outcome = try run(plan, on: [loop]) { _ in .close }.outcome()
        XCTAssertEqual(outcome.requests, 3)
        XCTAssertNotNil(outcome.tally.shortestFailure)
    }

    func testAllRequestsAreSentAlthoughSomeAreSentInALaterTurn() throws {
        let loop = try Loop()
        defer { loop.shutdown() }
        let plan = LoadPlan(requests: 1000, duration: nil, concurrency: 3)
        XCTAssertEqual(try run(plan, on: [loop]).outcome().requests, 1000)
    }

    func testAnEndlessDurationIsNoError() throws {
        let loop = try Loop()
        defer { loop.shutdown() }
        for rate in [nil, 1e-300, 1e6] {
            let plan = LoadPlan(requests: 1, duration: .seconds(1e14), concurrency: 1, rate: rate)
            XCTAssertEqual(try run(plan, on: [loop]).outcome().requests, 1)
        }
    }

    func testALoopThatHasEndedEndsItsPartOfTheRun() throws {
        let (loop, ended) = (try Loop(), try Loop())
        defer { loop.shutdown() }
        ended.shutdown()
        let plan = LoadPlan(requests: 10, duration: nil, concurrency: 2)
        let outcome = try run(plan, on: [loop, ended]).outcome()
        XCTAssertEqual(outcome.tally.responses, 5)
        XCTAssertEqual(outcome.failuresByFrequency.map(\.kind), ["cancelled"])
    }

    // With responses that come at once, that never come, and with none before the next time of the schedule.
    func testALoopThatIsShutDownEndsARunWhateverItWaitsFor() throws {
        let plans = [
            (LoadPlan(requests: nil, duration: nil, concurrency: 2), ScriptedResponse(body: "a")),
            (LoadPlan(requests: nil, duration: .seconds(3600), concurrency: 2), .silence),
            (LoadPlan(requests: nil, duration: nil, concurrency: 2, rate: 0.001), ScriptedResponse(body: "a")),
        ]
        for (plan, response) in plans {
            let loop = try Loop()
            let run = try run(plan, on: [loop]) { _ in response }
            loop.shutdown()
            let outcome = run.outcome()
            XCTAssertEqual(outcome.failuresByFrequency.map(\.kind), ["cancelled"])
        }
    }

    func testSeveralLoopsSendNoMoreRequestsAtOnceThanOneWould() throws {
        let loops = try (0..<3).map { _ in try Loop() }
        defer { for loop in loops { loop.shutdown() } }
        let (running, most) = (Locked(0), Locked(0))
        let plan = LoadPlan(requests: 6, duration: nil, concurrency: 1)
        let run = try run(plan, on: loops) { _ in
            let now = running.withLock { running in
                running += 1
                return running
            }
            most.withLock { $0 = max($0, now) }
            let body = Observable<[UInt8]>.empty().delaySubscription(
                .milliseconds(5), scheduler: LoopScheduler(loops[0])
            )
            .do(onCompleted: { running.withLock { $0 -= 1 } })
            return .streaming(body)
        }
        XCTAssertEqual(run.outcome().requests, 6)
        XCTAssertEqual(most.withLock { $0 }, 1)
    }

    // A request takes 10 ms, so that 200 at once are at most 20,000 per second.
    func testARateAboveWhatIsPossibleKeepsFewRequestsUnderWayAndCountsThoseThatEnded() throws {
        let loop = try Loop()
        defer { loop.shutdown() }
        let (running, most) = (Locked(0), Locked(0))
        let plan = LoadPlan(requests: nil, duration: .milliseconds(300), concurrency: 200, rate: 100_000)
        let run = try run(plan, on: [loop]) { _ in
            let now = running.withLock { running in
                running += 1
                return running
            }
            most.withLock { $0 = max($0, now) }
            let body = Observable<[UInt8]>.empty().delaySubscription(
                .milliseconds(10), scheduler: LoopScheduler(loop)
            )
            .do(onCompleted: { running.withLock { $0 -= 1 } })
            return .streaming(body)
        }
        let outcome = run.outcome()
        XCTAssertEqual(most.withLock { $0 }, 200)
        XCTAssertEqual(outcome.requests + outcome.unfinished, 30_000)
        XCTAssertLessThanOrEqual(outcome.requests, 6200)
        XCTAssertEqual(outcome.tally.failures.count, 0)
        XCTAssertGreaterThan(try XCTUnwrap(outcome.latency(1)), 200_000, "the last ones are late")
    }

    func testAllRequestsOfAScheduleAreSentAlthoughTheyAreLate() throws {
        let loop = try Loop()
        defer { loop.shutdown() }
        let plan = LoadPlan(requests: 700, duration: nil, concurrency: 1, rate: 1e6)
        let outcome = try run(plan, on: [loop]) { _ in
            .streaming(.empty().delaySubscription(.milliseconds(1), scheduler: LoopScheduler(loop)))
        }
        .outcome()
        XCTAssertEqual(outcome.tally.responses, 700)
        XCTAssertEqual(outcome.unfinished, 0)
    }

    func testARunEndsWhenItsClientShutsDown() throws {
        for rate in [nil, 1e6] {
            let loop = try Loop()
            defer { loop.shutdown() }
            let stub = StubTransport(script: ResponseScript(keepsRequests: false))
            let client = HTTPClient(transport: stub, scheduler: LoopScheduler(loop))
            let draining = Locked<Completable?>(client.drain())
            stub.route { request in
                if request.number == 10 { _ = draining.withLock { $0.take() }?.subscribe() }
                return ScriptedResponse(body: "a")
            }
            let plan = LoadPlan(requests: 20_000, duration: nil, concurrency: 1, rate: rate)
            let target = LoadTarget(try Request(.get, "http://a/"), client: client)
            let outcome = LoadRun(plan, at: target, on: [loop], keepsSeries: false).outcome()
            XCTAssertEqual(outcome.requests, 11, "rate \(String(describing: rate))")
        }
    }

    func testTheLatenciesOverTimeIncludeThoseOfFailures() throws {
        let loop = try Loop()
        defer { loop.shutdown() }
        let run = try run(LoadPlan(requests: 4, duration: nil, concurrency: 1), on: [loop], keepsSeries: true) {
            ScriptedResponse(status: $0.number == 1 ? .serviceUnavailable : .ok)
        }
        let tally = run.outcome().tally
        XCTAssertEqual(tally.latency.count, 4)
        let spans = try XCTUnwrap(tally.series?.spans)
        XCTAssertEqual(spans.map(\.latency.count).reduce(0, +), 4)
        XCTAssertEqual(spans.map(\.failures).reduce(0, +), 1)
        XCTAssertEqual(spans.map(\.responses).reduce(0, +), 3)
    }
}
