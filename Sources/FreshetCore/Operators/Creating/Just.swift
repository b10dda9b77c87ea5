extension ObservableType {
    /// Emits `element`, then completes. Source: RxSwift's `just`.
    @inlinable
    public static func just(_ element: Element) -> Observable<Element> {
        Just(element)
    }

    /// Emits `element`, then completes. Each event is a piece of work on `scheduler`.
    /// Source: RxSwift's `just(_:scheduler:)`.
    @inlinable
    public static func just(_ element: Element, scheduler: any ImmediateSchedulerType) -> Observable<Element> {
        Observable<Element>.iterating(CollectionOfOne(element), on: scheduler)
    }

    /// Completes without an element. Source: RxSwift's `empty`.
    @inlinable
    public static func empty() -> Observable<Element> {
        Empty()
    }

    /// Fails with `error` without an element. Source: RxSwift's `error`.
    @inlinable
    public static func error(_ error: any Error) -> Observable<Element> {
        Producer { sink in
            sink.begin(with: NopDisposable.shared)
            sink.error(error)
        }
    }

    /// Never emits an event. Source: RxSwift's `never`.
    @inlinable
    public static func never() -> Observable<Element> {
        Observable()
    }
}

@usableFromInline
final class Just<Element>: Observable<Element>, @unchecked Sendable {
    @usableFromInline let element: Element

    @inlinable
    init(_ element: Element) {
        self.element = element
        super.init()
    }

    @usableFromInline
    override func run(_ sink: Sink<Element>) {
        let subscription = BooleanDisposable()
        sink.begin(with: subscription)
        sink.next(element)
        if !subscription.isDisposed { sink.completed() }
    }

    override func emitAtOnce(to sink: Sink<Element>) -> Bool {
        sink.next(element)
        return true
    }
}

@usableFromInline
final class Empty<Element>: Observable<Element>, @unchecked Sendable {
    override func run(_ sink: Sink<Element>) {
        sink.begin(with: NopDisposable.shared)
        sink.completed()
    }

    override func emitAtOnce(to sink: Sink<Element>) -> Bool { true }
}
