public import FreshetCore
import FreshetCrypto
public import FreshetHTTP
import HTTPTypes

/// Keeps responses in memory, up to a size.
public final class MemoryCacheStore: CacheStore {
    fileprivate struct Entry: Sendable {
        var response: CachedResponse
        var body: [[UInt8]]
        var lastUse: Int

        /// In bytes, with an estimate of what is kept beside the texts.
        func size(under key: CacheKey) -> Int {
            let fields = response.head.headerFields.map { $0.name.rawName.utf8.count + $0.value.utf8.count + 128 }
            let selectors = response.selectors.map { $0.key.utf8.count + ($0.value?.utf8.count ?? 0) }
            let url = key.url.absoluteString.utf8.count
            return response.bodyLength + (fields + selectors).reduce(url + 512, +)
        }
    }

    fileprivate struct State: Sendable {
        /// By URL and owner, because an invalidation removes the responses of all owners.
        var entries: [RequestURL: [PartitionKey: [Entry]]] = [:]
        /// Of the entries, and of the bodies that are being stored.
        var size = 0
        var useCount = 0
    }

    private let maximumSize: Int
    private let state = Locked(State())

    /// - Parameter maximumSize: the size of all responses, in bytes. A body of more than a quarter of it is not stored.
    public init(maximumSize: Int = 32 * 1024 * 1024) {
        self.maximumSize = maximumSize
    }

    public func responses(for key: CacheKey) -> StoredResponses {
        .ready(state.withLock { $0[key] }.map(\.response).sorted { $0.isNewer(than: $1) })
    }

    public func body(of response: CachedResponse, for key: CacheKey) -> Observable<[UInt8]> {
        .deferred { [state] in
            let body = state.withLock { state -> [[UInt8]]? in
                state.useCount += 1
                guard let index = state[key].firstIndex(where: { $0.response.id == response.id }) else { return nil }
                state[key][index].lastUse = state.useCount
                return state[key][index].body
            }
            return body.map { .from($0) } ?? .error(RxError.noElements)
        }
    }

    public func writer(of response: CachedResponse, for key: CacheKey) -> any CacheWriter {
        Writer(response, key, self)
    }

    public func update(_ response: CachedResponse, for key: CacheKey) -> Single<Void> {
        .deferred { [state, maximumSize] in
            state.withLock { state in
                guard let index = state[key].firstIndex(where: { $0.response.id == response.id }) else { return }
                state.size -= state[key][index].size(under: key)
                state[key][index].response = response
                state.size += state[key][index].size(under: key)
                state.shrink(to: maximumSize)
            }
            return .just(())
        }
    }

    public func remove(_ response: CachedResponse, for key: CacheKey) -> Single<Void> {
        .deferred { [state] in
            state.withLock { $0.remove(key) { $0.response.id == response.id } }
            return .just(())
        }
    }

    public func invalidate(_ url: RequestURL) -> Single<Void> {
        .deferred { [state] in
            state.withLock { state in
                for owner in (state.entries[url] ?? [:]).keys {
                    state.remove(CacheKey(url: url, owner: owner)) { _ in true }
                }
            }
            return .just(())
        }
    }

    /// - Returns: whether there is room for `count` bytes more of a body that is being stored.
    private func reserve(_ count: Int) -> Bool {
        state.withLock { state in
            state.size += count
            state.shrink(to: maximumSize)
            if state.size <= maximumSize { return true }
            state.size -= count
            return false
        }
    }

    private func release(_ count: Int) { state.withLock { $0.size -= count } }

    /// Inserts a response, for whose body there is room.
    private func insert(_ response: CachedResponse, _ body: [[UInt8]], for key: CacheKey) {
        state.withLock { state in
            state.size -= response.bodyLength
            let same = state[key].map(\.response).filter { $0.selectors == response.selectors }
            // A late one would be served after the removal of the newer one.
            if same.contains(where: { $0.wasMade(after: response) }) { return }
            state.remove(key) { $0.response.selectors == response.selectors }
            state.useCount += 1
            let entry = Entry(response: response, body: body, lastUse: state.useCount)
            if state[key].count >= CachedResponse.variantLimit, let oldest = state[key].first {
                state.remove(key) { $0.response.id == oldest.response.id }
            }
            state[key].append(entry)
            state.size += entry.size(under: key)
            state.shrink(to: maximumSize)
        }
    }

    private final class Writer: CacheWriter {
        /// In bytes. Smaller pieces are joined, because each takes some memory beside its bytes.
        private static let pieceSize = 16_384

        private let response: CachedResponse
        private let key: CacheKey
        private let store: MemoryCacheStore
        private let written: Locked<Written>

        /// The body so far.
        private struct Written: Sendable {
            var body: [[UInt8]] = []
            /// The length of the body, for which there is room.
            var length = 0
            /// Whether the body is not stored, for example because it is too large.
            var isGivenUp = false
        }

        init(_ response: CachedResponse, _ key: CacheKey, _ store: MemoryCacheStore) {
            (self.response, self.key, self.store) = (response, key, store)
            written = Locked(Written(isGivenUp: response.isTooLarge(forStoreOf: store.maximumSize)))
        }

        deinit { abandon() }

        func append(_ bytes: [UInt8], written done: @escaping @Sendable () -> Void) {
            let hasRoom = written.withLock { written in
                if written.isGivenUp { return true }
                let length = written.length + bytes.count
                guard length <= store.maximumSize / 4, store.reserve(bytes.count) else { return false }
                written.length = length
                if let last = written.body.indices.last, written.body[last].count + bytes.count <= Self.pieceSize {
                    written.body[last] += bytes
                } else {
                    written.body.append(bytes)
                }
                return true
            }
            if !hasRoom { abandon() }
            done()
        }

        func finish(stored: @escaping @Sendable () -> Void) {
            let written = take()
            if !written.isGivenUp {
                var response = response
                response.bodyLength = written.length
                response.id = SecureRandom.text(9)
                store.insert(response, written.body, for: key)
            }
            stored()
        }

        func abandon() { store.release(take().length) }

        private func take() -> Written {
            written.withLock { written in
                defer { written = Written(isGivenUp: true) }
                return written
            }
        }
    }
}

extension MemoryCacheStore.State {
    fileprivate mutating func remove(_ key: CacheKey, where isRemoved: (MemoryCacheStore.Entry) -> Bool) {
        size -= self[key].filter(isRemoved).reduce(0) { $0 + $1.size(under: key) }
        self[key].removeAll(where: isRemoved)
    }

    /// The responses of a key, in the order in which they were stored.
    fileprivate subscript(key: CacheKey) -> [MemoryCacheStore.Entry] {
        get { entries[key.url]?[key.owner] ?? [] }
        set {
            entries[key.url, default: [:]][key.owner] = newValue.isEmpty ? nil : newValue
            if entries[key.url]?.isEmpty == true { entries[key.url] = nil }
        }
    }

    /// Removes the least recently used responses if there is no room for all, and some more, so that this happens rarely.
    fileprivate mutating func shrink(to maximumSize: Int) {
        guard size > maximumSize else { return }
        let all = entries.flatMap { url, owners in
            owners.flatMap { owner, entries in
                entries.map { (CacheKey(url: url, owner: owner), $0.response.id, $0.lastUse) }
            }
        }
        for (key, id, _) in all.sorted(by: { $0.2 < $1.2 }) where size > maximumSize / 4 * 3 {
            remove(key) { $0.response.id == id }
        }
    }
}
