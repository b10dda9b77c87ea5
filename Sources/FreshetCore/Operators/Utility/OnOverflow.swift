/// What becomes of elements that nobody is ready to take; see ``ObservableType/onOverflow(_:)``.
public enum OverflowPolicy: Hashable, Sendable {
    /// All wait. When this many do the source is paused, and resumed when half of them have gone; one that cannot be paused
    /// goes on, and its elements wait all the same: nothing is lost, and what it costs is the source's matter.
    case buffer(Int)
    /// At most this many wait, the newest ones.
    case dropOldest(Int)
    /// At most this many wait, the oldest ones. With zero, what comes at the wrong moment is lost.
    case dropNewest(Int)
    /// The newest one waits.
    case latest
    /// At most this many wait; the next one ends the stream with ``OverflowError``, after those that wait.
    case error(Int)

    var capacity: Int {
        switch self {
        case .buffer(let capacity), .dropOldest(let capacity), .dropNewest(let capacity), .error(let capacity): capacity
        case .latest: 1
        }
    }
}

/// More elements came than were taken; see ``OverflowPolicy/error(_:)``.
public struct OverflowError: Error, Hashable, CustomStringConvertible {
    /// How many were waiting.
    public let capacity: Int

    public init(capacity: Int) {
        self.capacity = capacity
    }

    public var description: String {
        "more elements came than were taken: \(capacity) were waiting; take them faster, or choose what to drop"
    }
}

extension ObservableType {
    /// Takes what comes while downstream is paused, or at work on another element, and does with it what `policy` says:
    /// for a source that cannot pause, such as a subject, before a consumer that does.
    ///
    /// While downstream is ready nothing waits, and an element goes through on the thread that it came on. What waited
    /// comes out one by one, in order, on the thread that resumes, until downstream is paused again. A stop event comes
    /// after all that waits, and at once if nothing does. Only `buffer` ever pauses the source. Events can come from any
    /// thread, one at a time, and pauses and resumes from any other.
    ///
    ///     prices.onOverflow(.latest).observe(on: slow, buffering: 0...1)
    public func onOverflow(_ policy: OverflowPolicy) -> Observable<Element> {
        let least =
            switch policy {
            case .dropNewest, .error: 0
            case .buffer, .dropOldest, .latest: 1
            }
        precondition(policy.capacity >= least, "onOverflow(.\(policy)) needs room for \(least) at least")
        let source = asObservable()
        return Producer { source.run(OverflowSink(to: $0, policy)) }
    }
}
