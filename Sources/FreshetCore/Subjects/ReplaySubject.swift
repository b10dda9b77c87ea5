/// Sends each new observer the last elements, and then what comes. Source: RxSwift's `ReplaySubject`.
///
/// Who subscribes after the stop event gets the last elements and that event. Threads as in ``BehaviorSubject``.
public final class ReplaySubject<Element>: Observable<Element>, SubjectType, ObserverType, Cancelable,
    @unchecked Sendable
{
    public typealias SubjectObserverType = ReplaySubject<Element>

    private let multicaster = Multicaster<Element>()
    private let lock = Lock()
    private let clock: (any SchedulerType)?

    // Touched under the lock alone.
    private var history: ReplayBuffer<Element>
    private var stop: Event<Element>?
    private var ended = false

    private init(_ history: ReplayBuffer<Element>, clock: (any SchedulerType)? = nil) {
        self.history = history
        self.clock = clock
        super.init()
    }

    deinit { multicaster.shut(isGone: true) }

    /// A subject that replays the last `bufferSize` elements.
    public static func create(bufferSize: Int) -> ReplaySubject<Element> {
        precondition(bufferSize >= 0, "ReplaySubject.create(bufferSize:) needs a size of zero or more")
        return ReplaySubject(ReplayBuffer(capacity: bufferSize))
    }

    /// A subject that replays everything.
    public static func createUnbounded() -> ReplaySubject<Element> {
        ReplaySubject(ReplayBuffer(capacity: .max))
    }

    /// A subject that replays of the last `bufferSize` elements those that are younger than `window` by the clock of
    /// `scheduler`, where nothing else of it happens. Source: RxJava's `ReplaySubject.createWithTimeAndSize`.
    ///
    /// An element that has grown too old is let go when the next one comes.
    public static func create(
        bufferSize: Int = .max, window: RxTimeInterval, scheduler: any SchedulerType
    ) -> ReplaySubject<Element> {
        precondition(bufferSize >= 0, "ReplaySubject.create(bufferSize:) needs a size of zero or more")
        return ReplaySubject(ReplayBuffer(capacity: bufferSize, window: window), clock: scheduler)
    }

    /// Whether anybody is subscribed.
    public var hasObservers: Bool { multicaster.hasMembers }

    public var isDisposed: Bool { lock.withLock { ended } }

    public func on(_ event: Event<Element>) {
        let now = clock?.now
        // What falls out of the buffer goes after the lock: its end may call anything.
        _ = multicaster.drain.submit(
            .event(event), under: lock,
            recording: { () -> (isWanted: Bool, ReplayBuffer<Element>.Dropped?) in
                if stop != nil || ended { return (false, nil) }
                guard case .next(let element) = event else {
                    stop = event
                    return (true, nil)
                }
                return (true, history.append(element, at: now))
            }, to: multicaster.handle)
    }

    public func asObserver() -> ReplaySubject<Element> { self }

    /// Lets all observers and elements go without a word; who subscribes afterwards gets ``RxError/disposed(object:)``.
    public func dispose() {
        let old = lock.withLock { () -> ReplayBuffer<Element> in
            ended = true
            defer { history = ReplayBuffer(capacity: 0) }
            return history
        }
        multicaster.shut(isGone: false)
        withExtendedLifetime(old) {}
    }

    @usableFromInline
    override func run(_ sink: Sink<Element>) {
        let now = clock?.now
        multicaster.join(sink, under: lock) {
            ended ? ([], .error(RxError.disposed(object: self))) : (history.elements(at: now), stop)
        }
    }
}
