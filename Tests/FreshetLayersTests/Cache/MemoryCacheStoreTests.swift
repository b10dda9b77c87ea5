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

    /// Responses with many short fields took more than twice the size.
    func testEachFieldCountsWithTheMemoryThatItTakesBesideItsText() throws {
        let store = MemoryCacheStore(maximumSize: 1 << 20)
        let fields = HTTPFields((0..<100).map { HTTPField(name: .init("F\($0)")!, value: "x") })
        let keys = try (0..<200).map { CacheKey(url: try RequestURL("http://a.example/\($0)"), owner: .nobody) }
        for key in keys { store.writer(of: response(fields), for: key).finish {} }
        XCTAssertLessThan(stored(store, keys).count, 105)
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

    /// The older one took its place, and was served for as long as it was fresh.
    func testAResponseThatEndsLateDoesNotReplaceANewerOne() throws {
        let store = MemoryCacheStore()
        let key = CacheKey(url: try RequestURL("http://a.example/"), owner: .nobody)
        let writers = [1.0, 2].map { time in
            var response = response()
            response.responseTime = time
            return store.writer(of: response, for: key)
        }
        for writer in writers.reversed() { writer.finish {} }
        XCTAssertEqual(stored(store, [key]).map(\.responseTime), [2])
    }

    /// 200 000 bytes that arrived one by one took 9.6 MB.
    func testABodyThatArrivesInTinyPiecesIsKeptInLargeOnes() throws {
        let store = MemoryCacheStore(maximumSize: 1 << 20)
        let key = CacheKey(url: try RequestURL("http://a.example/"), owner: .nobody)
        let writer = store.writer(of: response(), for: key)
        let bytes = (0..<200_000).map { UInt8($0 % 251) }
        for byte in bytes { writer.append([byte]) {} }
        writer.finish {}
        let pieces = Locked<[[UInt8]]>([])
        for response in stored(store, [key]) {
            _ = store.body(of: response, for: key).subscribe(onNext: { piece in pieces.withLock { $0.append(piece) } })
        }
        XCTAssertEqual(pieces.withLock { Array($0.joined()) }, bytes)
        XCTAssertLessThan(pieces.withLock { $0.count }, 20)
    }

    /// Each body that was being stored took up to a quarter of the size beside the stored ones.
    func testUnfinishedBodiesCountTowardsTheSize() throws {
        let store = MemoryCacheStore(maximumSize: 1 << 20)
        let keys = try (0..<40).map { CacheKey(url: try RequestURL("http://a.example/\($0)"), owner: .nobody) }
        func write(_ number: Int) -> any CacheWriter {
            let writer = store.writer(of: response(), for: keys[number])
            for _ in 0..<10 { writer.append([UInt8](repeating: 1, count: 20_000)) {} }
            return writer
        }
        write(0).finish {}
        let writers = (1..<20).map(write)
        XCTAssertEqual(stored(store, [keys[0]]).count, 0, "the unfinished ones take its place")
        for writer in writers { writer.finish {} }
        let finished = stored(store, keys).count
        XCTAssertTrue((3...5).contains(finished), "\(finished)")
        for number in 20..<40 { write(number).abandon() }
        write(0).finish {}
        XCTAssertEqual(stored(store, [keys[0]]).count, 1, "abandoned ones take no place")
    }

    func testABodyThatIsKnownToBeTooLargeDisplacesNoOther() throws {
        let store = MemoryCacheStore(maximumSize: 1 << 20)
        let keys = try (0..<5).map { CacheKey(url: try RequestURL("http://a.example/\($0)"), owner: .nobody) }
        for key in keys.dropLast() {
            let writer = store.writer(of: response(), for: key)
            writer.append([UInt8](repeating: 1, count: 200_000)) {}
            writer.finish {}
        }
        let large = store.writer(of: response([.contentLength: "300000"]), for: keys[4])
        for _ in 0..<300 { large.append([UInt8](repeating: 1, count: 1000)) {} }
        large.finish {}
        XCTAssertEqual(stored(store, keys).count, 4)
    }

    func testTheVariantsOfAURLAreBoundedAndTheOldestIsRemoved() throws {
        let store = MemoryCacheStore()
        let key = CacheKey(url: try RequestURL("http://a.example/"), owner: .nobody)
        for number in 0..<70 {
            var variant = response()
            variant.selectors = ["x-id": "\(number)"]
            store.writer(of: variant, for: key).finish {}
        }
        let numbers = stored(store, [key]).compactMap { $0.selectors["x-id"]?.flatMap { Int($0) } }
        XCTAssertEqual(numbers.sorted(), Array(6..<70))
    }

    func testAnInvalidationRemovesTheResponsesOfItsURLForAllOwners() throws {
        let store = MemoryCacheStore()
        let (url, other) = (try RequestURL("http://a.example/"), try RequestURL("http://a.example/b"))
        let keys = [PartitionKey.nobody, .login("anna")].map { CacheKey(url: url, owner: $0) }
        let kept = CacheKey(url: other, owner: .nobody)
        for key in keys + [kept] { store.writer(of: response(), for: key).finish {} }
        _ = store.invalidate(url).subscribe()
        XCTAssertEqual(stored(store, keys).count, 0)
        XCTAssertEqual(stored(store, [kept]).count, 1)
    }
}
