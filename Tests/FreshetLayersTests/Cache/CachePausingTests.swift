import FreshetCore
import FreshetHTTP
import HTTPTypes
import XCTest

@testable import FreshetLayers

/// Tests how a cache pauses the transport below while its store is behind.
final class CachePausingTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    /// A transfer through a cache, whose transport and store a test moves step by step.
    private struct Bench {
        let store = LateStore()
        let below = SteppedTransport()
        let transfer: any Transfer
        let source: SteppedTransfer

        init() throws {
            let cache = HTTPCache(store: store, secondsSince1970: { 0 }).wrapping(below)
            transfer = cache.transfer(try Request(.get, "http://a.example/"), to: IgnoringReceiver())
            transfer.start()
            source = try XCTUnwrap(below.transfer.withLock { $0.take() })
        }

        /// Ends the transfer. Its parts hold each other before that.
        func end() {
            source.whilePausing.withLock { $0 = nil }
            source.whileResuming.withLock { $0 = nil }
            transfer.dispose()
        }
    }

    func testAStoreThatCatchesUpDuringThePauseDoesNotStopTheResponse() throws {
        let bench = try Bench()
        defer { bench.end() }
        bench.source.whilePausing.withLock { $0 = { [store = bench.store] in store.catchUp() } }
        bench.source.deliver(600_000)
        XCTAssertFalse(bench.source.isPaused)
        bench.source.deliver(500_000)
        XCTAssertFalse(bench.source.isPaused, "most of it is stored")
        bench.source.deliver(600_000)
        XCTAssertTrue(bench.source.isPaused)
    }

    func testAPauseOfTheCallerIsKeptWhenTheStoreCatchesUpAtTheSameTime() throws {
        let bench = try Bench()
        defer { bench.end() }
        bench.source.deliver(2_000_000)
        XCTAssertTrue(bench.source.isPaused)
        bench.source.whileResuming.withLock { $0 = { [transfer = bench.transfer] in transfer.pause() } }
        bench.store.catchUp()
        XCTAssertTrue(bench.source.isPaused)
        bench.transfer.resume()
        XCTAssertFalse(bench.source.isPaused)
    }
}

private final class SteppedTransport: Transport {
    let transfer = Locked<SteppedTransfer?>(nil)

    func transfer(_ request: Request, to receiver: any TransferReceiver) -> any Transfer {
        let transfer = SteppedTransfer(request, receiver)
        self.transfer.withLock { $0 = transfer }
        return transfer
    }
}

/// A transfer that runs some work in the midst of its first pause and of its first resumption, as other threads can.
private final class SteppedTransfer: Transfer {
    let whilePausing = Locked<(@Sendable () -> Void)?>(nil)
    let whileResuming = Locked<(@Sendable () -> Void)?>(nil)
    private let request: Request
    private let receiver: any TransferReceiver
    private let paused = Locked(false)

    init(_ request: Request, _ receiver: any TransferReceiver) { (self.request, self.receiver) = (request, receiver) }

    var isPaused: Bool { paused.withLock { $0 } }

    func start() {
        var request = request
        guard case .ready = receiver.prepare(&request) else { return XCTFail("the request is not ready") }
        receiver.willSend(request)
        receiver.receive(.head(HTTPResponse(status: .ok, headerFields: [.cacheControl: "max-age=100"])))
    }

    func deliver(_ count: Int) { receiver.receive(.body(Array(repeating: 0, count: count))) }

    func pause() {
        whilePausing.withLock { $0.take() }?()
        paused.withLock { $0 = true }
    }

    func resume() {
        whileResuming.withLock { $0.take() }?()
        paused.withLock { $0 = false }
    }

    func dispose() {}
}

/// A store that writes when the test says so, and finds nothing.
private final class LateStore: CacheStore {
    private let pending = Locked<[@Sendable () -> Void]>([])

    func catchUp() {
        let written = pending.withLock { pending in
            defer { pending = [] }
            return pending
        }
        for notify in written { notify() }
    }

    func responses(for key: CacheKey) -> StoredResponses { .ready([]) }
    func body(of response: CachedResponse, for key: CacheKey) -> Observable<[UInt8]> { .empty() }
    func writer(of response: CachedResponse, for key: CacheKey) -> any CacheWriter { Writer(store: self) }
    func update(_ response: CachedResponse, for key: CacheKey) -> Single<Void> { .just(()) }
    func remove(_ response: CachedResponse, for key: CacheKey) -> Single<Void> { .just(()) }
    func invalidate(_ url: RequestURL) -> Single<Void> { .just(()) }

    private struct Writer: CacheWriter {
        let store: LateStore

        func append(_ bytes: [UInt8], written: @escaping @Sendable () -> Void) {
            store.pending.withLock { $0.append(written) }
        }

        func finish(stored: @escaping @Sendable () -> Void) { stored() }
        func abandon() { store.pending.withLock { $0 = [] } }
    }
}

private final class IgnoringReceiver: TransferReceiver {
    func prepare(_ request: inout Request) -> Adaptation { .ready }
    func willSend(_ request: Request) {}
    func receive(_ part: consuming ResponsePart) {}
    func receiveEnd(_ failure: (any Error)?) {}
}
