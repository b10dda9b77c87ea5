/// Has a current value: sends it to each new observer at once, and then what comes. Source: RxSwift's `BehaviorSubject`.
///
/// A value is current as soon as `onNext` is called, also while an earlier one is still being handed out, and an observer
/// gets each value once: the current one as its first, and all later ones in order. Threads as in ``PublishSubject``.
public final class BehaviorSubject<Element>: Observable<Element>, SubjectType, ObserverType, Cancelable,
    @unchecked Sendable
{
    public typealias SubjectObserverType = BehaviorSubject<Element>

    private let multicaster = Multicaster<Element>()
    private let lock = Lock()

    // Touched under the lock alone.
    private var current: Element
    private var stop: Event<Element>?
    private var ended = false

    public init(value: Element) {
        current = value
        super.init()
    }

    deinit { multicaster.shut(isGone: true) }

    /// Whether anybody is subscribed.
    public var hasObservers: Bool { multicaster.hasMembers }

    public var isDisposed: Bool { lock.withLock { ended } }

    /// The current value; the last one after completion.
    ///
    /// - Throws: the error that ended the subject, or ``RxError/disposed(object:)``.
    public func value() throws -> Element {
        let (value, error) = lock.withLock { () -> (Element, (any Error)?) in
            (current, ended ? RxError.disposed(object: self) : stop?.error)
        }
        if let error { throw error }
        return value
    }

    public func on(_ event: Event<Element>) {
        // The value before goes after the lock: its end may call anything.
        _ = multicaster.drain.submit(
            .event(event), under: lock,
            recording: { () -> (isWanted: Bool, Element?) in
                if stop != nil || ended { return (false, nil) }
                guard case .next(let element) = event else {
                    stop = event
                    return (true, nil)
                }
                defer { current = element }
                return (true, current)
            }, to: multicaster.handle)
    }

    public func asObserver() -> BehaviorSubject<Element> { self }

    /// Lets all observers go without a word; who subscribes afterwards gets ``RxError/disposed(object:)``.
    public func dispose() {
        lock.withLock { ended = true }
        multicaster.shut(isGone: false)
    }

    @usableFromInline
    override func run(_ sink: Sink<Element>) {
        multicaster.join(sink, under: lock) {
            if ended { return ([], .error(RxError.disposed(object: self))) }
            return stop == nil ? ([current], nil) : ([], stop)
        }
    }
}
