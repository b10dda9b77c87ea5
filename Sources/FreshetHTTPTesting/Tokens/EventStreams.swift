import FreshetCore

extension Int {
    /// The next number. The largest one, which a client can send as the last event's, is followed by itself.
    var successor: Int { self == .max ? self : self + 1 }
}

/// The event streams that are running, each with the token of its request.
final class EventStreams: Sendable {
    private struct Member {
        var token: String
        var observer: AnyObserver<[UInt8]>
    }

    private struct State {
        var members: [Int: Member] = [:]
        var lastKey = 0
    }

    private let scheduler: any SchedulerType
    private let interval: Duration
    private let state = Locked(State())

    init(scheduler: any SchedulerType, interval: Duration) {
        self.scheduler = scheduler
        self.interval = interval
    }

    /// Emits numbered events until the token has expired; the first one at once.
    func stream(
        of token: String, from first: Int, hasEnded: @escaping @Sendable () -> Bool
    ) -> Observable<[UInt8]> {
        .create { [state, scheduler, interval] observer in
            let key = state.withLock { state in
                state.lastKey += 1
                state.members[state.lastKey] = Member(token: token, observer: observer)
                return state.lastKey
            }
            let ticks = scheduler.schedulePeriodic(first, startAfter: .zero, period: interval) { number in
                if hasEnded() {
                    observer.onCompleted()
                } else {
                    observer.onNext(Array("id: \(number)\ndata: {\"number\":\(number)}\n\n".utf8))
                }
                return number.successor
            }
            return Disposables.create {
                _ = state.withLock { $0.members.removeValue(forKey: key) }
                ticks.dispose()
            }
        }
    }

    /// Ends the streams for whose token `isMeant` returns `true`.
    func end(_ isMeant: (String?) -> Bool) {
        let ended = state.withLock { state in
            let keys = state.members.filter { isMeant($0.value.token) }.keys
            return keys.compactMap { state.members.removeValue(forKey: $0) }
        }
        for member in ended { member.observer.onCompleted() }
    }
}
