import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

@testable import FreshetLayers

/// Tests that layers keep nothing of a request that has ended.
final class LayerReleaseTests: XCTestCase {
    private final class Mark: RequestTag {}

    private func layers(_ scheduler: TestScheduler) -> [any TransportLayer] {
        [
            HTTPCache(store: MemoryCacheStore(), secondsSince1970: { 0 }), Coalescing(),
            Hedging(budget: RetryBudget(scheduler: scheduler), scheduler: scheduler),
            CircuitBreaking(scheduler: scheduler), Bulkhead(limit: 1),
            RateLimit(.fixed(perSecond: 100), scheduler: scheduler), RateLimit(.learned, scheduler: scheduler),
        ]
    }

    func testACompletedRequestIsReleased() throws {
        let resources = Resources.total
        for (name, response) in [
            ("response", ScriptedResponse(body: "1")), ("failure", .failure(.connectionLost, in: .waiting)),
            ("cancelled", .silence),
        ] {
            for index in 0..<7 {
                let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
                let server = StubTransport(scheduler: scheduler, script: ResponseScript(keepsRequests: false))
                let layer = layers(scheduler)[index]
                let client = HTTPClient(transport: server, scheduler: scheduler, layers: [layer])
                weak var mark: Mark?
                do {
                    server.enqueue(response, response)
                    var request = try Request(.get, "http://a.example/")
                    let tag = Mark()
                    (mark, request.tags[Mark.self]) = (tag, tag)
                    let subscriptions = (0..<2).map { _ in client.send(request).subscribe { _ in } }
                    scheduler.advanceBy(100)
                    subscriptions.forEach { $0.dispose() }
                    scheduler.advanceBy(60_000)
                }
                XCTAssertNil(mark, "\(layer) after \(name)")
            }
        }
        XCTAssertEqual(Resources.total, resources)
    }

    // The clock of a layer can end with the client, and a request that it holds back would never end.
    func testARequestThatALayerHoldsBackEndsWithTheClient() throws {
        let resources = Resources.total
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let server = StubTransport(scheduler: scheduler)
        server.route { _ in .silence }
        for layer in [RateLimit(.fixed(perSecond: 1), scheduler: scheduler), Bulkhead(limit: 1)] as [any TransportLayer]
        {
            let client = HTTPClient(transport: server, scheduler: scheduler, layers: [layer])
            let codes = Locked<[HTTPClientError.Code?]>([])
            let subscriptions = (0..<2).map { _ in
                client.get("http://a.example/").subscribe { result in
                    if case .failure(let error) = result {
                        codes.withLock { $0.append((error as? HTTPClientError)?.code) }
                    }
                }
            }
            client.endWaiting()
            XCTAssertEqual(codes.withLock { $0 }, [.cancelled, .cancelled], "\(layer)")
            subscriptions.forEach { $0.dispose() }
        }
        XCTAssertEqual(Resources.total, resources)
    }

    func testATransferThatIsDisposedOfBeforeItsStartSendsNothing() throws {
        let resources = Resources.total
        for index in 0..<7 {
            let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
            let server = StubTransport(scheduler: scheduler)
            let layer = layers(scheduler)[index]
            do {
                let receiver = CountingReceiver()
                let transfer = layer.wrapping(server).transfer(try Request(.get, "http://a.example/"), to: receiver)
                transfer.dispose()
                transfer.start()
                scheduler.advanceBy(60_000)
                XCTAssertEqual(receiver.count.withLock { $0 }, 0, "\(layer)")
            }
            XCTAssertEqual(server.requestCount, 0, "\(layer)")
        }
        XCTAssertEqual(Resources.total, resources)
    }

    private final class CountingReceiver: TransferReceiver {
        let count = Locked(0)

        func prepare(_ request: inout Request) -> Adaptation { .ready }
        func willSend(_ request: Request) {}
        func receive(_ part: consuming ResponsePart) { count.withLock { $0 += 1 } }
        func receiveEnd(_ failure: (any Error)?) { count.withLock { $0 += 1 } }
    }
}
