/// How to handle elements that downstream is not ready to receive. See ``ObservableType/onOverflow(_:)``.
public enum OverflowPolicy: Hashable, Sendable {
    /// All elements wait. The source is paused when this number of elements waits, and resumed when half of them have
    /// been delivered. With zero, the source is paused whenever downstream is, and only the elements wait that come
    /// nevertheless, as the rest of a piece of input that holds several. A source that cannot be paused continues, and all
    /// its elements wait: no element is lost, and the memory grows with their number.
    case buffer(Int)
    /// At most this number of elements waits. The oldest waiting element is dropped.
    case dropOldest(Int)
    /// At most this number of elements waits. A new element that exceeds it is dropped. With zero, every element that
    /// arrives while downstream is not ready is dropped.
    case dropNewest(Int)
    /// Only the latest element waits.
    case latest
    /// At most this number of elements waits. The next element ends the stream with ``OverflowError``, after the
    /// waiting elements.
    case error(Int)

    var capacity: Int {
        switch self {
        case .buffer(let capacity), .dropOldest(let capacity), .dropNewest(let capacity), .error(let capacity): capacity
        case .latest: 1
        }
    }
}

/// The error of a stream whose elements arrive faster than they are delivered. See ``OverflowPolicy/error(_:)``.
public struct OverflowError: Error, Hashable, CustomStringConvertible {
    /// The number of waiting elements.
    public let capacity: Int

    public init(capacity: Int) {
        self.capacity = capacity
    }

    public var description: String {
        "\(capacity) elements wait, and another arrived; process them faster, or choose a policy that drops elements"
    }
}

extension ObservableType {
    /// Applies `policy` to elements that arrive while downstream is paused or is processing another element. Use it
    /// between a source that cannot pause, such as a subject, and a consumer that does.
    ///
    /// While downstream is ready, elements pass directly, on the thread on which they arrive. Waiting elements are
    /// delivered one by one, in order, on the thread that resumes, until downstream is paused again. A stop event is
    /// delivered after all waiting elements, or at once if there are none. Only `buffer` pauses the source. Events can
    /// arrive on any thread, one at a time. Pauses and resumes can arrive on any other thread.
    ///
    ///     prices.onOverflow(.latest).observe(on: slow, buffering: 0...1)
    public func onOverflow(_ policy: OverflowPolicy) -> Observable<Element> {
        let least =
            switch policy {
            case .buffer, .dropNewest, .error: 0
            case .dropOldest, .latest: 1
            }
        precondition(policy.capacity >= least, "onOverflow(.\(policy)) needs room for \(least) at least")
        return asObservable().linear { OverflowSink(to: $0, policy) }
    }
}
