/// A subject that sends each new observer the last elements at once, and then all later events.
/// Source: RxSwift's `ReplaySubject`.
///
/// An observer that subscribes after the stop event receives the last elements and that event. The rules for threads
/// are those of ``BehaviorSubject``.
public final class ReplaySubject<Element>: Observable<Element>, SubjectType, ObserverType, Cancelable,
    @unchecked Sendable
{
    public typealias SubjectObserverType = ReplaySubject<Element>

    private let multicaster = Multicaster<Element>()
    private let lock = Lock()
    private let clock: (any SchedulerType)?

    // Accessed only under the lock.
    private var history: ReplayBuffer<Element>
    private var stop: Event<Element>?
    private var wasDisposed = false

    private init(_ history: ReplayBuffer<Element>, clock: (any SchedulerType)? = nil) {
        self.history = history
        self.clock = clock
        super.init(depth: 0, isHot: true)
    }

    deinit { multicaster.shut(isGone: true) }

    /// Creates a subject that replays the last `bufferSize` elements.
    public static func create(bufferSize: Int) -> ReplaySubject<Element> {
        precondition(bufferSize >= 0, "ReplaySubject.create(bufferSize:) needs a size of zero or more")
        return ReplaySubject(ReplayBuffer(capacity: bufferSize))
    }

    /// Creates a subject that replays all elements.
    public static func createUnbounded() -> ReplaySubject<Element> {
        ReplaySubject(ReplayBuffer(capacity: .max))
    }

    /// Creates a subject that replays the last `bufferSize` elements that are younger than `window`. The age is
    /// measured by the clock of `scheduler`. The subject schedules no work on `scheduler`.
    /// Source: RxJava's `ReplaySubject.createWithTimeAndSize`.
    ///
    /// The subject drops an element that is too old when the next element arrives.
    public static func create(
        bufferSize: Int = .max, window: RxTimeInterval, scheduler: any SchedulerType
    ) -> ReplaySubject<Element> {
        precondition(bufferSize >= 0, "ReplaySubject.create(bufferSize:) needs a size of zero or more")
        return ReplaySubject(ReplayBuffer(capacity: bufferSize, window: window), clock: scheduler)
    }

    /// Whether the subject has observers.
    public var hasObservers: Bool { multicaster.hasMembers }

    public var isDisposed: Bool { lock.withLock { wasDisposed } }

    public func on(_ event: Event<Element>) {
        let now = clock?.now
        // Dropped elements are released after the lock, because their deinitializers can call any code.
        _ = multicaster.drain.submit(
            .event(event), under: lock,
            recording: { () -> (isWanted: Bool, ReplayBuffer<Element>.Dropped?) in
                if stop != nil || wasDisposed { return (false, nil) }
                guard case .next(let element) = event else {
                    stop = event
                    return (true, nil)
                }
                return (true, history.append(element, at: now))
            }, to: multicaster.handle)
    }

    public func asObserver() -> ReplaySubject<Element> { self }

    /// Removes all observers without sending them an event, and drops all elements. Later observers receive
    /// ``RxError/disposed(object:)``.
    public func dispose() {
        let old = lock.withLock { () -> ReplayBuffer<Element> in
            wasDisposed = true
            return exchange(&history, with: ReplayBuffer(capacity: 0))
        }
        multicaster.shut(isGone: false)
        withExtendedLifetime(old) {}
    }

    @usableFromInline
    override func run(_ sink: Sink<Element>) {
        let now = clock?.now
        multicaster.join(sink, under: lock) {
            wasDisposed ? ([], .error(RxError.disposed(object: self))) : (history.elements(at: now), stop)
        }
    }
}
