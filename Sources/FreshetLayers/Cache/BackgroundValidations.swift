import FreshetCore
import FreshetHTTP
import HTTPTypes

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
