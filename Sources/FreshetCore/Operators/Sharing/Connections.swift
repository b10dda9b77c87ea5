import Synchronization

/// A source and whoever shares it: at most one connection at a time, each with its subject.
///
/// The lock is held to choose the connection, never to subscribe, emit or dispose; who comes while the last one goes gets
/// a connection of its own. So nobody is left behind on a connection that has ended, and nothing can deadlock.
final class Connections<Subject: SubjectType>: Sendable {
    typealias Source = Observable<Subject.Observer.Element>

    private let source: Source
    private let makeSubject: @Sendable () -> Subject
    private let current = Locked<Connection<Subject>?>(nil)

    init(_ source: Source, makeSubject: @escaping @Sendable () -> Subject) {
        self.source = source
        self.makeSubject = makeSubject
    }

    /// Subscribes `sink` to the subject, connected or not.
    func subscribe(_ sink: Sink<Subject.Element>) {
        enter { _ in }.0.subject.asObservable().run(sink)
    }

    /// Subscribes `sink` for as long as it counts among those that keep the connection alive.
    func lease(to sink: Sink<Subject.Element>) {
        let (connection, isFirst) = enter { connection in
            connection.leases += 1
            connection.isConnected = true
        }
        let lease = Disposables.create { self.endLease(of: connection) }
        connection.subject.asObservable().run(LeaseSink(to: sink, lease))
        if isFirst, !connection.isOver { source.subscribe(ConnectionSink(connection, in: self)) }
    }

    func connect() -> any Disposable {
        let (connection, isFirst) = enter { $0.isConnected = true }
        if isFirst { source.subscribe(ConnectionSink(connection, in: self)) }
        return Disposables.create { self.end(connection) }
    }

    /// The connection of now, perhaps a new one, and whether `change` has connected it.
    private func enter(_ change: (Connection<Subject>) -> Void) -> (Connection<Subject>, Bool) {
        var spare: Connection<Subject>?
        while true {
            let found = current.withLock { current -> (Connection<Subject>, Bool)? in
                if current == nil { current = spare }
                guard let current else { return nil }
                let wasConnected = current.isConnected
                change(current)
                return (current, !wasConnected && current.isConnected)
            }
            if let found { return found }
            spare = Connection(makeSubject())
        }
    }

    /// Ends one lease, and the connection with the last one.
    func endLease(of connection: Connection<Subject>) {
        let isEnding = current.withLock { current in
            connection.leases -= 1
            return connection.leases == 0 && retire(connection, from: &current)
        }
        if isEnding { connection.source.dispose() }
    }

    func end(_ connection: Connection<Subject>) {
        if current.withLock({ retire(connection, from: &$0) }) { connection.source.dispose() }
    }

    private func retire(_ connection: Connection<Subject>, from current: inout Connection<Subject>?) -> Bool {
        if current === connection { current = nil }
        return !connection.over.exchange(true, ordering: .acquiringAndReleasing)
    }
}

/// One subscription to the source, and the subject that it feeds.
final class Connection<Subject: SubjectType>: @unchecked Sendable {
    let subject: Subject
    let source = SingleAssignmentDisposable()
    let over = Atomic<Bool>(false)

    // Touched under the lock of `Connections` alone.
    var leases = 0
    var isConnected = false

    init(_ subject: Subject) {
        self.subject = subject
    }

    var isOver: Bool { over.load(ordering: .acquiring) }
}

private final class ConnectionSink<Subject: SubjectType>: Sink<Subject.Observer.Element> {
    private let connection: Connection<Subject>
    private let connections: Connections<Subject>
    private let observer: Subject.Observer

    init(_ connection: Connection<Subject>, in connections: Connections<Subject>) {
        self.connection = connection
        self.connections = connections
        observer = connection.subject.asObserver()
    }

    override func begin(with subscription: any Disposable) { connection.source.setDisposable(subscription) }

    override func next(_ element: Subject.Observer.Element) {
        if !connection.isOver { observer.onNext(element) }
    }

    override func error(_ error: any Error) { end(with: .error(error)) }
    override func completed() { end(with: .completed) }

    // First the connection ends, so that who subscribes anew when it hears of the end gets a new one.
    private func end(with event: Event<Subject.Observer.Element>) {
        if connection.isOver { return }
        connections.end(connection)
        observer.on(event)
    }
}

/// Ends the lease with the subscription.
private final class LeaseSink<Element>: Pipe<Element, Element> {
    private let lease: any Disposable

    init(to downstream: Sink<Element>, _ lease: any Disposable) {
        self.lease = lease
        super.init(to: downstream)
    }

    override func begin(with subscription: any Disposable) {
        downstream.begin(with: CompositeDisposable(subscription, lease))
    }

    override func next(_ element: Element) { downstream.next(element) }

    // Downstream may keep the stop event for later; the lease ends now, or a source that has ended would be started again.
    override func error(_ error: any Error) {
        lease.dispose()
        downstream.error(error)
    }

    override func completed() {
        lease.dispose()
        downstream.completed()
    }
}
