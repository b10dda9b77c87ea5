/// A subject that sends its observers the last element when it completes, or only the error when it fails.
/// Source: RxSwift's `AsyncSubject`.
///
/// An observer that subscribes after the end receives the same events. The rules for threads are those of ``BehaviorSubject``.
public final class AsyncSubject<Element>: Observable<Element>, SubjectType, ObserverType, Cancelable,
    @unchecked Sendable
{
    public typealias SubjectObserverType = AsyncSubject<Element>

    private let multicaster = Multicaster<Element>()
    private let lock = Lock()

    // Accessed only under the lock.
    private var last: Element?
    private var stop: Event<Element>?
    private var wasDisposed = false

    public override init() {
        super.init()
    }

    deinit { multicaster.shut(isGone: true) }

    /// Whether the subject has observers.
    public var hasObservers: Bool { multicaster.hasMembers }

    public var isDisposed: Bool { lock.withLock { wasDisposed } }

    public func on(_ event: Event<Element>) {
        let (replaced, result) = lock.withLock { () -> (Element?, [Event<Element>]) in
            if stop != nil || wasDisposed { return (nil, []) }
            switch event {
            case .next(let element):
                return (exchange(&last, with: element), [])
            case .error:
                stop = event
                return (last.take(), [event])
            case .completed:
                stop = event
                return (nil, last.map { [.next($0), event] } ?? [event])
            }
        }
        // An observer that subscribes from now on finds the stop event and receives both events in its own subscribing
        // call, so that no observer subscribes between the two events.
        for event in result { multicaster.on(event) }
        withExtendedLifetime(replaced) {}
    }

    public func asObserver() -> AsyncSubject<Element> { self }

    /// Removes all observers without sending them an event. Later observers receive ``RxError/disposed(object:)``.
    public func dispose() {
        let old = lock.withLock { () -> Element? in
            wasDisposed = true
            return last.take()
        }
        multicaster.shut(isGone: false)
        withExtendedLifetime(old) {}
    }

    @usableFromInline
    override func run(_ sink: Sink<Element>) {
        multicaster.join(sink, under: lock) {
            if wasDisposed { return ([], .error(RxError.disposed(object: self))) }
            return stop == nil ? ([], nil) : (last.map { [$0] } ?? [], stop)
        }
    }
}
