public import FreshetCore
import Synchronization

/// How many requests of a client, and of those derived from it, are running, and whether it takes more.
final class ClientActivity: Sendable {
    private static let closed = 1 << 62

    /// How many there are, and `closed` once no more are taken.
    private let state = Atomic<Int>(0)
    private let guests = Locked(Guests())
    /// Whether nobody may wait any more.
    private let isEnding = Atomic<Bool>(false)

    private struct Guests {
        /// Those that nothing but their subscriber ends, or nothing at all for a while.
        var calls: [ObjectIdentifier: RequestCall] = [:]
        var whenIdle: [@Sendable () -> Void] = []
        /// Those who would send something later.
        var whenClosed: [Int: @Sendable () -> Void] = [:]
        var next = 0
    }

    /// - Returns: whether a request may begin; then it has to ``leave()``.
    func enter() -> Bool {
        let isOpen = state.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue & Self.closed == 0
        if !isOpen { leave() }
        return isOpen
    }

    func leave() {
        if state.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == Self.closed { tell() }
    }

    /// Notes a request that would go on, or wait, for as long as it likes.
    func note(_ call: RequestCall) {
        guests.withLock { $0.calls[ObjectIdentifier(call)] = call }
        // Those that were noted before may have been ended just now.
        let isClosed = state.load(ordering: .acquiring) & Self.closed != 0
        if isEnding.load(ordering: .acquiring) || (isClosed && call.isLongLived) { call.endForGood() }
    }

    func forget(_ call: RequestCall) {
        guests.withLock { $0.calls[ObjectIdentifier(call)] = nil }
    }

    /// Takes no more requests. Calls `whenIdle` when none is left.
    func close(_ whenIdle: @escaping @Sendable () -> Void) {
        guests.withLock { $0.whenIdle.append(whenIdle) }
        let before = state.bitwiseOr(Self.closed, ordering: .acquiringAndReleasing).oldValue
        tellOfClosing()
        if before & ~Self.closed == 0 { tell() }
    }

    /// Calls `tell` once no more requests are taken, unless what comes back is disposed of before.
    func whenClosed(_ tell: @escaping @Sendable () -> Void) -> any Disposable {
        let number = guests.withLock { guests in
            guests.next += 1
            guests.whenClosed[guests.next] = tell
            return guests.next
        }
        // It may have been closed just before.
        if state.load(ordering: .acquiring) & Self.closed != 0 { tellOfClosing() }
        return Disposables.create { [self] in
            _ = guests.withLock { $0.whenClosed.removeValue(forKey: number) }
        }
    }

    private func tellOfClosing() {
        let waiting = guests.withLock { guests in
            defer { guests.whenClosed = [:] }
            return guests.whenClosed.values
        }
        for tell in waiting { tell() }
    }

    /// Ends the long-lived ones among those that were noted.
    func endLongLived() {
        for call in guests.withLock({ Array($0.calls.values) }) where call.isLongLived { call.endForGood() }
    }

    /// Ends those that were noted, and whoever is noted from now on.
    func endNoted() {
        isEnding.store(true, ordering: .releasing)
        for call in guests.withLock({ Array($0.calls.values) }) { call.endForGood() }
    }

    private func tell() {
        let waiting = guests.withLock { guests in
            defer { guests.whenIdle = [] }
            return guests.whenIdle
        }
        for tell in waiting { tell() }
    }
}

extension HTTPClient {
    /// Takes no more requests, of the clients derived from this one neither, and completes when none is running any more.
    ///
    /// What comes later fails with `cancelled`. Answers that are long-lived are ended with that at once, for they would
    /// not end by themselves. Begins when somebody subscribes, and goes on if they leave.
    public func drain() -> Completable {
        .create { [activity] observer in
            activity.close { observer(.completed) }
            activity.endLongLived()
            return Disposables.create()
        }
    }

    /// Completes once no more requests are taken, at once if that is so already: for who would wait before the next one.
    public var closing: Completable {
        .create { [activity] observer in activity.whenClosed { observer(.completed) } }
    }

    /// Ends what ``drain()`` would wait for although no transfer is running: requests that wait for their next attempt.
    package func endWaiting() {
        activity.close {}
        activity.endNoted()
    }

    static func shuttingDown(_ url: RequestURL, isUnsent: Bool) -> HTTPClientError {
        HTTPClientError(
            .cancelled, phase: .preparing, origin: url.origin.description,
            message: "the client is shutting down", remedy: "send the request with another", isUnsent: isUnsent)
    }
}
