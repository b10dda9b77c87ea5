import Freshet
import FreshetHTTPTesting
import FreshetTesting
import XCTest

/// The whole test file of the page about testing.
final class RetryTests: XCTestCase {
    func testARefusedRequestIsRetriedAfterRetryAfter() {
        let scheduler = TestScheduler(initialClock: 0, simulateProcessingDelay: false)
        let transport = StubTransport(scheduler: scheduler)
        transport.enqueue(
            ScriptedResponse(status: .serviceUnavailable, headers: [.retryAfter: "30"]), ScriptedResponse(body: "done"))
        let client = HTTPClient(transport: transport, scheduler: scheduler, interceptors: [RetryPolicy(limit: 1)])

        let observer = scheduler.createObserver(String.self)
        _ = client.get("http://example.com/").map(\.text).asObservable().subscribe(observer)
        scheduler.start()

        XCTAssertEqual(observer.events, [.next(30, "done"), .completed(30)])
        XCTAssertEqual(transport.requests.map(\.target), ["/", "/"])
    }
}

/// The other examples of that page.
final class TestingExample: ResourceTestCase {
    func testARecordingComparesByItsElements() {
        let scheduler = TestScheduler(initialClock: 0)
        let numbers = scheduler.createHotObservable([.next(210, 1), .next(220, 2)])
        let observer = scheduler.start { numbers.map { $0 * 10 } }
        XCTAssertRecordedElements(observer.events, [10, 20])
    }

    func testAStreamOnOtherThreadsCanBeAwaited() {
        let numbers = Observable.of(1, 2, 3).observe(on: ConcurrentDispatchQueueScheduler(qos: .default))
        XCTAssertEqual(try numbers.toBlocking(timeout: 10).toArray(), [1, 2, 3])
        XCTAssertEqual(try numbers.toBlocking(timeout: 10).first(), 1)
        XCTAssertThrowsError(try Observable<Int>.never().toBlocking(timeout: 0.01).single())
    }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
func XCTAssertRecordedElements<Element: Equatable>(
    _ events: [Recorded<Event<Element>>], _ elements: [Element], file: StaticString = #filePath, line: UInt = #line
) {
    XCTAssertNil(events.stopEvent, "A stop event has come", file: file, line: line)
    XCTAssertEqual(events.elements, elements, file: file, line: line)
}
