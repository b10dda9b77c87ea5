import FreshetCore
import FreshetHTTP
import HTTPTypes
import XCTest

@testable import FreshetLayers

final class MemoryCacheStoreTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    private let large = HTTPFields([HTTPField(name: .eTag, value: String(repeating: "e", count: 200_000))])

    private func response(_ fields: HTTPFields = [:]) -> CachedResponse {
        CachedResponse(
            id: "", head: HTTPResponse(status: .ok, headerFields: fields), requestTime: 0, responseTime: 0,
            selectors: [:], bodyLength: 0)
    }

    private func stored(_ store: MemoryCacheStore, _ keys: [CacheKey]) -> [CachedResponse] {
        keys.flatMap { key -> [CachedResponse] in
            if case .ready(let responses) = store.responses(for: key) { responses } else { [] }
        }
    }

    func testTheHeadsCountTowardsTheSize() throws {
        let store = MemoryCacheStore(maximumSize: 1 << 20)
        let keys = try (0..<100).map { CacheKey(url: try RequestURL("http://a.example/\($0)"), owner: .nobody) }
        for key in keys { store.writer(of: response(large), for: key).finish {} }
        let count = stored(store, keys).count
        XCTAssertTrue((1...5).contains(count), "\(count)")
    }

    func testAHeadThatAConfirmationHasEnlargedCountsTowardsTheSize() throws {
        let store = MemoryCacheStore(maximumSize: 1 << 20)
        let keys = try (0..<100).map { CacheKey(url: try RequestURL("http://a.example/\($0)"), owner: .nobody) }
        for key in keys { store.writer(of: response(), for: key).finish {} }
        XCTAssertEqual(stored(store, keys).count, 100)
        for key in keys {
            for var response in stored(store, [key]) {
                response.head.headerFields = large
                _ = store.update(response, for: key).subscribe()
            }
        }
        XCTAssertLessThanOrEqual(stored(store, keys).filter { $0.head.headerFields == large }.count, 5)
    }
}
