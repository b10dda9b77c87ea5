import Foundation
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

@testable import FreshetLayers

final class LayerEventTests: XCTestCase {
    private var resources = 0
    private var scheduler: TestScheduler!
    private var server: StubTransport!

    override func setUp() {
        resources = Resources.total
        scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        server = StubTransport(scheduler: scheduler)
    }

    override func tearDown() {
        (scheduler, server) = (nil, nil)
        XCTAssertEqual(Resources.total, resources)
    }

    /// What a number of requests that begin together see of a layer, and the codes of their errors.
    private func events(of requests: Int, through layer: any TransportLayer) -> [[String]] {
        let client = HTTPClient(transport: server, scheduler: scheduler, layers: [layer])
        let seen = (0..<requests).map { _ in Locked<[String]>([]) }
        let subscriptions = seen.map { seen in
            client.events(try! Request(.get, "http://a.example/")).subscribe(
                onNext: { event in
                    switch event {
                    case .phase(.layer(let event)): seen.withLock { $0.append("\(event)") }
                    case .attempt(let number, _): seen.withLock { $0.append("attempt \(number)") }
                    default: break
                    }
                },
                onError: { error in seen.withLock { $0.append("\((error as? HTTPClientError)?.code.rawValue ?? "")") } }
            )
        }
        scheduler.advanceBy(20_000)
        subscriptions.forEach { $0.dispose() }
        return seen.map { $0.withLock { $0 } }
    }

    private func respond(after delay: Duration = .milliseconds(10)) {
        server.route { [scheduler] _ in
            .deferred(Observable<Int>.timer(delay, scheduler: scheduler!).asSingle().map { _ in ScriptedResponse() })
        }
    }

    func testARateLimitReportsHowLongARequestHasWaited() {
        respond()
        XCTAssertEqual(
            events(
                of: 3,
                through: RateLimit(.fixed(perSecond: 1), maximumWait: .seconds(1.5), scheduler: scheduler)),
            [["attempt 1"], ["rate limit: waited 1.0 s", "attempt 1"], ["rate limit: refused", "overloaded"]])
    }

    func testABulkheadReportsWaitingAndRefusedRequests() {
        respond()
        XCTAssertEqual(
            events(of: 3, through: Bulkhead(limit: 1, queueLimit: 1)),
            [["attempt 1"], ["bulkhead: waited", "attempt 1"], ["bulkhead: refused", "overloaded"]])
    }

    func testACallerThatJoinsReceivesAnEvent() {
        respond()
        XCTAssertEqual(
            events(of: 2, through: Coalescing()), [["attempt 1"], ["attempt 1", "coalescing: joined"]])
    }

    func testAnOpenCircuitReportsItsRefusal() {
        var settings = CircuitBreaker.Settings()
        settings.minimumCalls = 2
        let layer = CircuitBreaking(settings, scheduler: scheduler)
        let client = HTTPClient(transport: server, scheduler: scheduler, layers: [layer])
        server.route { _ in ScriptedResponse(status: .serviceUnavailable) }
        let seen = Locked<[String]>([])
        for _ in 0..<3 {
            let subscription = client.events(try! Request(.get, "http://a.example/")).subscribe(
                onNext: { event in
                    if case .phase(.layer(let event)) = event { seen.withLock { $0.append("\(event)") } }
                }, onError: { _ in })
            scheduler.advanceBy(10)
            subscription.dispose()
        }
        XCTAssertEqual(seen.withLock { $0 }, ["circuit breaker: refused"])
    }

    func testAHedgeReportsTheAttemptThatWon() {
        let budget = RetryBudget(ratio: 0, minimumPerSecond: 10, scheduler: scheduler)
        let layer = Hedging(budget: budget, scheduler: scheduler)
        respond()
        let client = HTTPClient(transport: server, scheduler: scheduler, layers: [layer])
        let seen = Locked<[String]>([])
        for number in 0..<21 {
            if number == 20 {
                let slow = Observable<Int>.timer(.seconds(5), scheduler: scheduler).asSingle()
                server.enqueue(.deferred(slow.map { _ in ScriptedResponse() }))
            }
            let subscription = client.events(try! Request(.get, "http://a.example/")).subscribe(onNext: { event in
                if case .phase(.layer(let event)) = event { seen.withLock { $0.append("\(event)") } }
            })
            scheduler.advanceBy(30)
            subscription.dispose()
        }
        XCTAssertEqual(seen.withLock { $0 }, ["hedging: second attempt won"])
    }

    func testARecordingReportsRecordedReplayedAndMissingRequests() throws {
        let path = NSTemporaryDirectory() + "freshet-\(UUID().uuidString).har"
        defer { try? FileManager.default.removeItem(atPath: path) }
        server.enqueue(ScriptedResponse())
        XCTAssertEqual(
            events(of: 1, through: try HTTPRecording(at: path, mode: .record, scheduler: scheduler)),
            [["recording: recorded", "attempt 1"]])
        XCTAssertEqual(
            events(of: 1, through: try HTTPRecording(at: path, mode: .replay, scheduler: scheduler)),
            [["attempt 1", "recording: replayed"]])
        XCTAssertEqual(events(of: 0, through: try HTTPRecording(at: path, mode: .record, scheduler: scheduler)), [])
        XCTAssertEqual(
            events(of: 1, through: try HTTPRecording(at: path, mode: .replay, scheduler: scheduler)),
            [["recording: not recorded", "not_recorded"]])
    }

    func testABoundedTableKeepsTheKeysThatWereUsedLast() {
        let table = BoundedTable<Int, Int>(limit: 4)
        for key in [1, 2, 3, 4, 1] { table.change(key, or: 0) { $0 += 1 } }
        XCTAssertEqual(table.value(for: 2, or: 0), 1)
        table.change(5, or: 0) { $0 += 1 }
        XCTAssertEqual((1...5).map { table.value(for: $0, or: 0) }, [2, 1, 0, 0, 1])
    }

    func testABoundedTableEvictsEntriesOverItsLimit() {
        let table = BoundedTable<Int, Int>(limit: 4)
        for key in 0..<100 { table.change(key, or: 0) { $0 = key } }
        XCTAssertEqual((0..<100).filter { table.value(for: $0, or: -1) == $0 }.count, 4)
        XCTAssertEqual(table.value(for: 99, or: -1), 99)
    }
}
