import Freshet
import FreshetHTTPTesting
import FreshetTesting
import XCTest

/// The examples of the page about testing that have tasks, a gate or a shutdown.
final class TestingTasksExample: ResourceTestCase {
    private func api(on scheduler: TestScheduler) -> StubTransport {
        let api = StubTransport(scheduler: scheduler)
        api.route { _ in ScriptedResponse(body: "done").after(.seconds(3)) }
        return api
    }

    private func client(over api: StubTransport, on scheduler: TestScheduler) throws -> HTTPClient {
        let interceptor = AuthenticationInterceptor(
            authenticator: ClosureAuthenticator { _ in .just(Credential(accessToken: "a2")) },
            store: MemoryStore(Credential(accessToken: "a1")),
            origins: [try Origin("https://api.example")], scheduler: scheduler)
        return HTTPClient(transport: api, scheduler: scheduler, interceptors: [interceptor])
    }

    func testATaskRunsWhileTheClockAdvances() async throws {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001)
        let client = try client(over: api(on: scheduler), on: scheduler)

        let body = try await advancing(scheduler) { try await client.get("https://api.example/").value.text }
        XCTAssertEqual(body, "done")
        XCTAssertGreaterThanOrEqual(scheduler.clock, 3000)
    }

    func testAGateSendsARequestWhenTheClockAdvances() throws {
        let scheduler = TestScheduler(initialClock: 0, simulateProcessingDelay: false)
        let api = api(on: scheduler)
        let client = try client(over: api, on: scheduler)

        let first = client.get("https://api.example/").subscribe()
        XCTAssertEqual(api.requestCount, 0)
        scheduler.advanceTo(scheduler.clock)
        XCTAssertEqual(api.requestCount, 1)
        let second = client.get("https://api.example/").subscribe()
        XCTAssertEqual(api.requestCount, 2)
        scheduler.start()
        for subscription in [first, second] { subscription.dispose() }
    }

    func testAProcessingDelayAlsoDelaysTheGate() throws {
        let scheduler = TestScheduler(initialClock: 0)
        let api = api(on: scheduler)
        let first = try client(over: api, on: scheduler).get("https://api.example/").subscribe()
        scheduler.advanceTo(scheduler.clock)
        XCTAssertEqual(api.requestCount, 0)
        scheduler.start()
        XCTAssertEqual(api.requestCount, 1)
        first.dispose()
    }

    func testADrainEndsStreamsAndFinishesRequests() throws {
        let scheduler = TestScheduler(initialClock: 0, simulateProcessingDelay: false)
        let transport = StubTransport(scheduler: scheduler)
        transport.route(.get, "/report") { _ in ScriptedResponse(body: "done").after(.seconds(5)) }
        transport.route(.get, "/events") { _ in .silence }
        let client = HTTPClient(transport: transport, scheduler: scheduler)
        let report = scheduler.createObserver(String.self)
        let stream = scheduler.createObserver(ServerSentEvent.self)
        let drained = scheduler.createObserver(Never.self)

        _ = client.get("http://example.com/report").map(\.text).asObservable().subscribe(report)
        _ = EventSource(try Request(.get, "http://example.com/events"), by: client).subscribe(stream)
        scheduler.scheduleAt(1) { _ = client.drain().asObservable().subscribe(drained) }
        scheduler.start()

        XCTAssertEqual(stream.events.map(\.time), [1])
        XCTAssertEqual((stream.events.last?.value.error as? HTTPClientError)?.code, .cancelled)
        XCTAssertEqual(report.events, [.next(5, "done"), .completed(5)])
        XCTAssertEqual(drained.events, [.completed(5)])

        let late = scheduler.createObserver(String.self)
        _ = client.get("http://example.com/report").map(\.text).asObservable().subscribe(late)
        XCTAssertEqual((late.events.last?.value.error as? HTTPClientError)?.code, .cancelled)
    }
}

func advancing<Value: Sendable>(
    _ scheduler: TestScheduler, _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    let isDone = Locked(false)
    let task = Task {
        defer { isDone.withLock { $0 = true } }
        return try await work()
    }
    while !isDone.withLock({ $0 }) {
        scheduler.advanceTo(scheduler.clock + 1)
        await Task.yield()
    }
    return try await task.value
}
