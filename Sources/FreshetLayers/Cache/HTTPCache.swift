public import FreshetCore
public import FreshetHTTP
import HTTPTypes

/// A private HTTP cache over a transport. Source: RFC 9111, RFC 5861, RFC 8246.
///
///     let client = runtime.client.with(layers: [HTTPCache(store: MemoryCacheStore())])
///
/// It stores responses to GET, separately for each login (`RequestAccount`), and keeps them when tokens rotate. It does not
/// store a response that no later request could use, because it has neither a time for which it is fresh nor a validator. The
/// cache does not handle a request whose login has no identifier, that has a range or conditions of its own, or that is
/// long-lived. A fresh response needs neither a connection nor a token. A stale one is validated, and is served without validation
/// only where the server or the request allows it. An unsafe request that succeeds removes the stored responses of its URL for all
/// accounts. The cache follows the request's own `Cache-Control`.
///
/// The part `TransferPhase.cache` comes before the head and reports where the response comes from.
public struct HTTPCache: TransportLayer {
    private let store: any CacheStore
    private let secondsSince1970: @Sendable () -> Double
    private let validations = BackgroundValidations()
    private let invalidations = BoundedTable<RequestURL, Int>()

    /// - Parameters:
    ///   - store: keeps the responses. Several caches can share one. A cache can then store a response that was requested
    ///     before another cache has sent a POST, PUT, PATCH or DELETE to its URL.
    ///   - secondsSince1970: the wall clock that determines the age of responses.
    @preconcurrency
    public init(
        store: any CacheStore, secondsSince1970: @escaping @Sendable () -> Double = WallClock.secondsSince1970
    ) {
        self.store = store
        self.secondsSince1970 = secondsSince1970
    }

    public func wrapping(_ transport: any Transport) -> any Transport {
        CachingTransport(
            below: transport, store: store, validations: validations, invalidations: invalidations,
            now: secondsSince1970)
    }

    /// Completes when no response is validated in the background any more.
    ///
    /// A program that exits before that finds the response as stale as it was, with `stale-while-revalidate`.
    public func settled() -> Single<Void> { validations.settled() }
}

/// The responses that are being validated while a stale one is served. Each is validated once at a time.
final class BackgroundValidations: Sendable {
    private struct State: Sendable {
        /// Those that begin when the first reader of the stale response ends. Another reader can be paused for long.
        var wanted: Set<CacheKey> = []
        var running: Set<CacheKey> = []
        /// Called when none is left.
        var waiting: [@Sendable () -> Void] = []

        var isSettled: Bool { wanted.isEmpty && running.isEmpty }
    }

    private let state = Locked(State())
    /// The URLs and owners whose latest response asked for another credential.
    private let refused = BoundedTable<CacheKey, Bool>()

    /// Records a response of the server. One that asks for another credential keeps stale responses from being served while they
    /// are validated: no interceptor sees the response to that, so only a request that waits can get a credential.
    func record(_ status: HTTPResponse.Status, for key: CacheKey) {
        if CacheRules.saysNothingOfCredential(status) { return }
        let isRefused = CacheRules.asksForCredential(status)
        if refused.value(for: key, or: false) != isRefused { refused.change(key, or: false) { $0 = isRefused } }
    }

    /// A stale response is about to be read.
    ///
    /// - Returns: whether it may be. If not, the caller validates it first.
    func want(_ key: CacheKey) -> Bool {
        if refused.value(for: key, or: false) { return false }
        state.withLock { state in
            if !state.running.contains(key) { state.wanted.insert(key) }
        }
        return true
    }

    /// A reader of a stale response has ended.
    ///
    /// - Returns: whether the caller has to validate.
    func begin(_ key: CacheKey) -> Bool {
        state.withLock { state in
            guard state.wanted.remove(key) != nil else { return false }
            return state.running.insert(key).inserted
        }
    }

    func end(_ key: CacheKey) {
        let settled = state.withLock { state -> [@Sendable () -> Void] in
            state.running.remove(key)
            guard state.isSettled else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for notify in settled { notify() }
    }

    func settled() -> Single<Void> {
        .create { [state] observer in
            let isSettled = state.withLock { state in
                if !state.isSettled { state.waiting.append { observer(.success(())) } }
                return state.isSettled
            }
            if isSettled { observer(.success(())) }
            return Disposables.create()
        }
    }
}
