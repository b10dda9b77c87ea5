/// A subject with a current value. It sends each new observer the current value at once, and then all later values.
/// Source: RxSwift's `BehaviorSubject`.
///
/// A value is current as soon as `onNext` is called, even while an earlier value is still being delivered. An observer
/// receives each value once: first the current one, then all later ones in order. The rules for threads are those of
/// ``PublishSubject``.
public final class BehaviorSubject<Element>: Observable<Element>, SubjectType, ObserverType, Cancelable,
    @unchecked Sendable
{
    public typealias SubjectObserverType = BehaviorSubject<Element>

    private let multicaster = Multicaster<Element>()
    private let lock = Lock()

    // Accessed only under the lock.
    private var current: Element
    private var stop: Event<Element>?
    private var wasDisposed = false

    public init(value: Element) {
        current = value
        super.init(depth: 0, isHot: true)
    }

    deinit { multicaster.shut(isGone: true) }

    /// Whether the subject has observers.
    public var hasObservers: Bool { multicaster.hasMembers }

    public var isDisposed: Bool { lock.withLock { wasDisposed } }

    /// The current value. After the completion it is the last value.
    ///
    /// - Throws: the error that ended the subject, or ``RxError/disposed(object:)``.
    public func value() throws -> Element {
        let (value, error) = lock.withLock { () -> (Element, (any Error)?) in
            (current, wasDisposed ? RxError.disposed(object: self) : stop?.error)
        }
        if let error { throw error }
        return value
    }

    public func on(_ event: Event<Element>) {
        // The previous value is released after the lock, because its deinitializer can call any code.
        _ = multicaster.drain.submit(
            .event(event), under: lock,
            recording: { () -> (isWanted: Bool, Element?) in
                if stop != nil || wasDisposed { return (false, nil) }
                guard case .next(let element) = event else {
                    stop = event
                    return (true, nil)
                }
                return (true, exchange(&current, with: element))
            }, to: multicaster.handle)
    }

    public func asObserver() -> BehaviorSubject<Element> { self }

    /// Removes all observers without sending them an event. Later observers receive ``RxError/disposed(object:)``.
    public func dispose() {
        lock.withLock { wasDisposed = true }
        multicaster.shut(isGone: false)
    }

    @usableFromInline
    override func run(_ sink: Sink<Element>) {
        multicaster.join(sink, under: lock) {
            if wasDisposed { return ([], .error(RxError.disposed(object: self))) }
            return stop == nil ? ([current], nil) : ([], stop)
        }
    }
}
