/// A stream that subscribes to its source only when ``connect()`` is called.
/// Source: RxSwift's `ConnectableObservableType`.
@preconcurrency
public protocol ConnectableObservableType<Element>: ObservableType {
    /// Subscribes to the source unless the stream is already connected.
    ///
    /// - Returns: a disposable that ends the subscription to the source. The observers receive no event when that
    ///   happens.
    func connect() -> any Disposable

    /// Returns a stream that connects with the first observer and disconnects with the last one.
    /// Source: RxSwift's `refCount`.
    func refCount() -> Observable<Element>
}

/// A stream that serves all its observers from one subscription to the source, which begins with ``connect()``.
/// Source: RxSwift's `ConnectableObservable`.
///
/// The stream can be connected again after the source has ended or the connection has been disposed of.
public final class ConnectableObservable<Element>: Observable<Element>, ConnectableObservableType, @unchecked Sendable {
    private let subscribing: (Sink<Element>) -> Void
    private let addingMember: @Sendable (Sink<Element>, GracePeriod?) -> Void
    private let connecting: () -> any Disposable

    init<Subject: SubjectType>(_ connections: Connections<Subject>) where Subject.Element == Element {
        subscribing = connections.subscribe
        addingMember = { connections.addMember($0, $1) }
        connecting = connections.connect
        super.init(depth: 0, isHot: true)
    }

    public func connect() -> any Disposable { connecting() }

    /// Returns a stream that connects with the first observer and disconnects with the last one.
    /// Source: RxSwift's `refCount`.
    public func refCount() -> Observable<Element> {
        refCount(nil)
    }

    fileprivate func refCount(_ grace: GracePeriod?) -> Observable<Element> {
        Producer(isHot: true) { [addingMember] in addingMember($0, grace) }
    }

    @usableFromInline
    override func run(_ sink: Sink<Element>) {
        subscribing(sink)
    }
}

extension ConnectableObservable where Element: Sendable {
    /// Returns a stream that connects with the first observer, and disconnects when it has had no observer for
    /// `gracePeriod`. An observer that subscribes within the grace period continues on the existing connection.
    /// Source: RxJava's `refCount(timeout:)`.
    ///
    ///     cold source:                               -a-b-c-d-e|
    ///     refCount(gracePeriod: 3, after 4, from 6): -------d-e|
    ///
    /// In the diagram, the only observer disposes of its subscription at 4, and another observer subscribes at 6.
    @preconcurrency
    public func refCount(gracePeriod: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        refCount(gracePeriod > .zero ? GracePeriod(length: gracePeriod, scheduler: scheduler) : nil)
    }
}
