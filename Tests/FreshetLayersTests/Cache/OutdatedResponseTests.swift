import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

@testable import FreshetLayers

/// Tests a response that was requested before a change, and ends after it.
final class OutdatedResponseTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    /// It was stored first and removed then, and other requests found it in between.
    func testAResponseFromBeforeAChangeIsNeverFound() throws {
        let store = WatchedStore()
        let bench = CacheBench(store: store)
        let gate = Barrier()
        bench.server.enqueue(
            ScriptedResponse(headers: [.cacheControl: "max-age=100"], body: "old").pausing(after: 1, until: gate))
        let late = bench.client.send(try Request(.get, "http://a.example/a")).subscribe()
        bench.pass(1)
        bench.script(.noContent)
        XCTAssertEqual(try bench.send(.put).status, 204)
        gate.release()
        bench.pass(1)
        late.dispose()
        XCTAssertEqual(store.found.withLock { $0 }, [])
        bench.script(.ok, "Cache-Control: max-age=100", body: "new")
        XCTAssertEqual(try bench.send().body, "new")
        XCTAssertEqual(store.found.withLock { $0 }, [1])
    }
}

/// Notes how many responses of a key are found when one has just been stored.
private final class WatchedStore: CacheStore {
    let found = Locked<[Int]>([])
    private let store = MemoryCacheStore()

    func responses(for key: CacheKey) -> StoredResponses { store.responses(for: key) }
    func body(of response: CachedResponse, for key: CacheKey) -> Observable<[UInt8]> {
        store.body(of: response, for: key)
    }
    func update(_ response: CachedResponse, for key: CacheKey) -> Single<Void> { store.update(response, for: key) }
    func remove(_ response: CachedResponse, for key: CacheKey) -> Single<Void> { store.remove(response, for: key) }
    func invalidate(_ url: RequestURL) -> Single<Void> { store.invalidate(url) }

    func writer(of response: CachedResponse, for key: CacheKey) -> any CacheWriter {
        Writer(writer: store.writer(of: response, for: key)) { [self] in
            guard case .ready(let responses) = responses(for: key) else { return }
            found.withLock { $0.append(responses.count) }
        }
    }

    private struct Writer: CacheWriter {
        let writer: any CacheWriter
        let look: @Sendable () -> Void

        func append(_ bytes: [UInt8], written: @escaping @Sendable () -> Void) {
            writer.append(bytes, written: written)
        }
        func abandon() { writer.abandon() }

        func finish(stored: @escaping @Sendable () -> Void) {
            writer.finish { [look] in
                look()
                stored()
            }
        }
    }
}
