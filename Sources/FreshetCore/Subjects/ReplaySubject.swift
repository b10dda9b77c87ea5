/// Sends each new observer the last elements, and then what comes. Source: RxSwift's `ReplaySubject`.
///
/// Who subscribes after the stop event gets the last elements and that event. Threads as in ``BehaviorSubject``.
public final class ReplaySubject<Element>: Observable<Element>, SubjectType, ObserverType, Cancelable,
    @unchecked Sendable
{
    public typealias SubjectObserverType = ReplaySubject<Element>

    private let hub = Hub<Element>()
    private let lock = Lock()

    // Touched under the lock alone.
    private var history: History<Element>
    private var stop: Event<Element>?
    private var ended = false

    private init(capacity: Int) {
        history = History(capacity: capacity)
        super.init()
    }

    deinit { hub.shut(isGone: true) }

    /// A subject that replays the last `bufferSize` elements.
    public static func create(bufferSize: Int) -> ReplaySubject<Element> {
        precondition(bufferSize >= 0, "ReplaySubject.create(bufferSize:) needs a size of zero or more")
        return ReplaySubject(capacity: bufferSize)
    }

    /// A subject that replays everything.
    public static func createUnbounded() -> ReplaySubject<Element> {
        ReplaySubject(capacity: .max)
    }

    /// Whether anybody is subscribed.
    public var hasObservers: Bool { hub.hasMembers }

    public var isDisposed: Bool { lock.withLock { ended } }

    public func on(_ event: Event<Element>) {
        // What falls out of the buffer goes after the lock: its end may call anything.
        _ = hub.drain.submit(
            .event(event), under: lock,
            recording: { () -> (isWanted: Bool, Element?) in
                if stop != nil || ended { return (false, nil) }
                guard case .next(let element) = event else {
                    stop = event
                    return (true, nil)
                }
                return (true, history.append(element))
            }, to: hub.handle)
    }

    public func asObserver() -> ReplaySubject<Element> { self }

    /// Lets all observers and elements go without a word; who subscribes afterwards gets ``RxError/disposed(object:)``.
    public func dispose() {
        let old = lock.withLock { () -> History<Element> in
            ended = true
            defer { history = History(capacity: 0) }
            return history
        }
        hub.shut(isGone: false)
        withExtendedLifetime(old) {}
    }

    @usableFromInline
    override func run(_ sink: Sink<Element>) {
        hub.join(sink, under: lock) {
            ended ? ([], .error(RxError.disposed(object: self))) : (history.elements, stop)
        }
    }
}

/// The last `capacity` elements, in a ring.
private struct History<Element> {
    private let capacity: Int
    private var ring: [Element] = []
    private var oldest = 0

    init(capacity: Int) {
        self.capacity = capacity
    }

    var elements: [Element] {
        oldest == 0 ? ring : Array(ring[oldest...] + ring[..<oldest])
    }

    /// Takes the newest element and returns the one that it replaces.
    mutating func append(_ element: Element) -> Element? {
        if ring.count < capacity {
            ring.append(element)
            return nil
        }
        if capacity == 0 { return nil }
        let replaced = ring[oldest]
        ring[oldest] = element
        oldest = (oldest + 1) % capacity
        return replaced
    }
}
