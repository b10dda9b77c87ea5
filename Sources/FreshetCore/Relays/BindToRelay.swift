// Targets of optional elements are tried first: the other order costs the compiler seconds in a chain of a few
// closures, which it would try to fit to optional elements.

extension ObservableType {
    /// Sends the elements to `relays`. Source: RxRelay's `bind(to:)`.
    ///
    /// Completion is not passed on, as a relay never ends. An error would be a programmer's: it stops the program in a
    /// debug build, and is written to standard error in others.
    @inlinable
    @_disfavoredOverload
    public func bind<Relay: RelayType>(to relays: Relay...) -> any Disposable where Relay.Element == Element {
        subscribe(RelayObserver(relays))
    }

    /// Sends the elements to `relays` of optional ones. Source: RxRelay's `bind(to:)`.
    @inlinable
    public func bind<Relay: RelayType>(to relays: Relay...) -> any Disposable where Relay.Element == Element? {
        map { $0 }.subscribe(RelayObserver(relays))
    }
}

extension InfallibleType {
    /// Sends the elements to `relays`. Source: RxSwift's `bind(to:)`.
    @inlinable
    @_disfavoredOverload
    public func bind<Relay: RelayType>(to relays: Relay...) -> any Disposable where Relay.Element == Element {
        asObservable().subscribe(RelayObserver(relays))
    }

    /// Sends the elements to `relays` of optional ones. Source: RxSwift's `bind(to:)`.
    @inlinable
    public func bind<Relay: RelayType>(to relays: Relay...) -> any Disposable where Relay.Element == Element? {
        asObservable().map { $0 }.subscribe(RelayObserver(relays))
    }
}

@usableFromInline
struct RelayObserver<Relay: RelayType>: ObserverType {
    @usableFromInline let relays: [Relay]

    @inlinable
    init(_ relays: [Relay]) {
        self.relays = relays
    }

    @inlinable
    func on(_ event: Event<Relay.Element>) {
        switch event {
        case .next(let element): for relay in relays { relay.accept(element) }
        case .error(let error): fatalErrorInDebug("An error was bound to a relay: \(error)")
        case .completed: break
        }
    }
}
