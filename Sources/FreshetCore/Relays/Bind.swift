// The overloads for non-optional elements are disfavored: the compiler tries observers of optional elements first, as
// in BindToRelay.swift.

extension ObservableType {
    /// Sends the events to `observers`. Equivalent to `subscribe`. Source: RxCocoa's `bind(to:)`.
    @_disfavoredOverload
    public func bind<Observer: ObserverType>(to observers: Observer...) -> any Disposable
    where Observer.Element == Element {
        subscribe(ObserverGroup(observers: observers))
    }

    /// Sends the elements to `binders`. Without this overload, the closure of a `Binder` that is made in the call could get its
    /// value as an optional.
    public func bind(to binders: Binder<Element>...) -> any Disposable {
        subscribe(ObserverGroup(observers: binders))
    }

    /// Sends the events to `observers`, whose elements are those of this stream and not optional.
    public func bind(to observers: AnyObserver<Element>...) -> any Disposable {
        subscribe(ObserverGroup(observers: observers))
    }

    /// Sends the events to `observers` of optional elements. Source: RxCocoa's `bind(to:)`.
    public func bind<Observer: ObserverType>(to observers: Observer...) -> any Disposable
    where Observer.Element == Element? {
        map { $0 }.subscribe(ObserverGroup(observers: observers))
    }

    /// Returns the result of `binder` for this stream, usually a subscription. Source: RxCocoa's `bind(to:)`.
    public func bind<Result>(to binder: (Self) -> Result) -> Result {
        binder(self)
    }

    /// Returns the result of `binder` for this stream and `curriedArgument`. Source: RxCocoa's `bind(to:curriedArgument:)`.
    public func bind<Argument, Result>(
        to binder: (Self) -> (Argument) -> Result, curriedArgument: Argument
    ) -> Result {
        binder(self)(curriedArgument)
    }

    /// Subscribes a closure for the elements. Source: RxCocoa's `bind(onNext:)`.
    ///
    /// An error is a programming error: it stops the program in a debug build, and is written to standard error in
    /// other builds.
    @preconcurrency
    public func bind(onNext: @escaping @Sendable (Element) -> Void) -> any Disposable {
        subscribe(onNext: onNext, onError: { fatalErrorInDebug("An error was bound: \($0)") })
    }

    /// Subscribes a closure that receives `object` and each element. The subscription does not keep `object` alive, and
    /// does not call the closure after `object` is deallocated. Source: RxCocoa's `bind(with:onNext:)`.
    @preconcurrency
    public func bind<Object: AnyObject>(
        with object: Object, onNext: @escaping @Sendable (Object, Element) -> Void
    ) -> any Disposable {
        bind(onNext: WeakReference(object).passed(to: onNext))
    }
}

extension InfallibleType {
    /// Sends the events to `observers`. Equivalent to `subscribe`. Source: RxCocoa's `bind(to:)`.
    @_disfavoredOverload
    public func bind<Observer: ObserverType>(to observers: Observer...) -> any Disposable
    where Observer.Element == Element {
        asObservable().subscribe(ObserverGroup(observers: observers))
    }

    /// Sends the elements to `binders`, whose values are those of this stream and not optional.
    public func bind(to binders: Binder<Element>...) -> any Disposable {
        asObservable().subscribe(ObserverGroup(observers: binders))
    }

    /// Sends the events to `observers`, whose elements are those of this stream and not optional.
    public func bind(to observers: AnyObserver<Element>...) -> any Disposable {
        asObservable().subscribe(ObserverGroup(observers: observers))
    }

    /// Sends the events to `observers` of optional elements. Source: RxCocoa's `bind(to:)`.
    public func bind<Observer: ObserverType>(to observers: Observer...) -> any Disposable
    where Observer.Element == Element? {
        asObservable().map { $0 }.subscribe(ObserverGroup(observers: observers))
    }

    /// Returns the result of `binder` for this stream, usually a subscription. Source: RxCocoa's `bind(to:)`.
    public func bind<Result>(to binder: (Self) -> Result) -> Result {
        binder(self)
    }

    /// Returns the result of `binder` for this stream and `curriedArgument`. Source: RxCocoa's `bind(to:curriedArgument:)`.
    public func bind<Argument, Result>(
        to binder: (Self) -> (Argument) -> Result, curriedArgument: Argument
    ) -> Result {
        binder(self)(curriedArgument)
    }

    /// Subscribes a closure for the elements. Source: RxCocoa's `bind(onNext:)`.
    @preconcurrency
    public func bind(onNext: @escaping @Sendable (Element) -> Void) -> any Disposable {
        asObservable().bind(onNext: onNext)
    }

    /// Subscribes a closure that receives `object` and each element. The subscription does not keep `object` alive, and
    /// does not call the closure after `object` is deallocated.
    @preconcurrency
    public func bind<Object: AnyObject>(
        with object: Object, onNext: @escaping @Sendable (Object, Element) -> Void
    ) -> any Disposable {
        asObservable().bind(with: object, onNext: onNext)
    }
}

/// Sends each event to all of `observers`.
private struct ObserverGroup<Observer: ObserverType>: ObserverType {
    let observers: [Observer]

    func on(_ event: Event<Observer.Element>) {
        for observer in observers { observer.on(event) }
    }
}
