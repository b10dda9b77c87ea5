// The overloads for non-optional elements are disfavored, so that the compiler tries relays of optional elements first.
// With the other order, the compiler needs seconds for a chain of a few closures, because it tries to give the closures
// optional elements.

extension ObservableType {
    /// Sends the elements to `relays`. Source: RxRelay's `bind(to:)`.
    ///
    /// The completion is ignored, because a relay never ends. An error is a programming error: it stops the program in
    /// a debug build, and is written to standard error in other builds.
    @inlinable
    @_disfavoredOverload
    public func bind<Relay: RelayType>(to relays: Relay...) -> any Disposable where Relay.Element == Element {
        subscribe(RelayObserver(relays))
    }

    /// Sends the elements to `relays` of optional elements. Source: RxRelay's `bind(to:)`.
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

    /// Sends the elements to `relays` of optional elements. Source: RxSwift's `bind(to:)`.
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
