import Synchronization

/// The connections of a shared source: at most one at a time, each with its subject.
///
/// The lock protects only the choice of the connection. It is never held during a subscribe, an event or a dispose, so
/// it cannot cause a deadlock. An observer that subscribes while the previous connection ends gets a new connection, so
/// no observer stays on a connection that has ended.
final class Connections<Subject: SubjectType>: Sendable {
    typealias Source = Observable<Subject.Observer.Element>

    private let source: Source
    private let makeSubject: @Sendable () -> Subject
    private let current = Locked<Connection<Subject>?>(nil)
    /// Whether the source has ended and all connections have the same subject. That subject has received the end, or is
    /// about to receive it.
    private let hasEnded = Atomic<Bool>(false)
    private let hasOneSubject: Bool
    private let waitsForMembers: Bool

    /// Uses a new subject for each connection.
    init(_ source: Source, makeSubject: @escaping @Sendable () -> Subject) {
        self.source = source
        self.makeSubject = makeSubject
        hasOneSubject = false
        waitsForMembers = false
    }

    /// Uses one subject for all connections.
    ///
    /// - Parameter waitsForMembers: see ``SharedPauseState``.
    init(_ source: Source, _ subject: Subject, waitsForMembers: Bool = false) {
        self.waitsForMembers = waitsForMembers
        self.source = source
        makeSubject = { subject }
        hasOneSubject = true
    }

    /// Subscribes `sink` to the subject, whether it is connected or not.
    func subscribe(_ sink: Sink<Subject.Element>) {
        let connection = enter { _ in }.0
        connection.subject.asObservable().subscribe(SharingSink(to: sink, connection.pauseState))
        connection.pauseState.updateSource()
    }

    /// Subscribes `sink` as one of the members that keep the connection alive.
    func addMember(_ sink: Sink<Subject.Element>, _ grace: GracePeriod?) {
        var timer: SingleAssignmentDisposable?
        let (connection, isFirst) = enter { connection in
            connection.memberCount.add(1, ordering: .relaxed)
            if grace != nil { timer = connection.takeGraceTimer() }
            connection.isConnected.store(true, ordering: .relaxed)
        }
        timer?.dispose()
        // After a stop event the connection ends without a grace period.
        let membership = RefCountMembership { isOver in self.endMembership(of: connection, isOver ? nil : grace) }
        connection.subject.asObservable().subscribe(RefCountSink(to: sink, membership, connection.pauseState))
        connection.pauseState.updateSource()
        // A member that subscribes while the subject sends the end may receive it only later, so the flags are checked
        // here.
        if isFirst, !connection.isOver, !hasEnded.load(ordering: .acquiring) {
            source.subscribe(ConnectionSink(connection, in: self))
        }
    }

    func connect() -> any Disposable {
        let (connection, isFirst) = enter { $0.isConnected.store(true, ordering: .relaxed) }
        if isFirst { source.subscribe(ConnectionSink(connection, in: self)) }
        let ending = Disposables.create { self.end(connection) }
        return waitsForMembers ? PausedConnection(ending, connection.pauseState) : ending
    }

    /// Returns the current connection, or a new one if there is none, and whether `change` has connected it.
    private func enter(_ change: (Connection<Subject>) -> Void) -> (Connection<Subject>, Bool) {
        var spare: Connection<Subject>?
        while true {
            let found = current.withLock { current -> (Connection<Subject>, Bool)? in
                if current == nil { current = spare }
                guard let current else { return nil }
                let wasConnected = current.isConnected.load(ordering: .relaxed)
                change(current)
                return (current, !wasConnected && current.isConnected.load(ordering: .relaxed))
            }
            if let found { return found }
            spare = Connection(makeSubject(), waitsForMembers: waitsForMembers)
        }
    }

    /// Ends one membership. The connection ends with the last membership, or after the grace period.
    private func endMembership(of connection: Connection<Subject>, _ grace: GracePeriod?) {
        let (isEnding, timer) = current.withLock { current -> (Bool, SingleAssignmentDisposable?) in
            let isLast = connection.memberCount.subtract(1, ordering: .relaxed).newValue == 0
            if !isLast || connection.isOver { return (false, nil) }
            if grace == nil { return (retire(connection, from: &current), nil) }
            let timer = SingleAssignmentDisposable()
            connection.graceTimer.withLock { $0 = timer }
            return (false, timer)
        }
        if isEnding { connection.dispose() }
        guard let grace, let timer else { return }
        timer.setDisposable(
            grace.scheduler.scheduleRelative(timer, dueTime: grace.length) { timer in
                // The timer may have fired while a member that has begun meanwhile was about to cancel it.
                self.end(connection) { $0.graceTimer.withLock { $0 === timer } }
                return Disposables.create()
            })
    }

    /// Ends `connection` after the end of the source. The caller then sends the end to the subject of `connection`.
    func sourceHasEnded(_ connection: Connection<Subject>) {
        if hasOneSubject { hasEnded.store(true, ordering: .releasing) }
        end(connection)
    }

    private func end(_ connection: Connection<Subject>, if condition: (Connection<Subject>) -> Bool = { _ in true }) {
        let isEnding = current.withLock { condition(connection) && retire(connection, from: &$0) }
        if isEnding { connection.dispose() }
    }

    private func retire(_ connection: Connection<Subject>, from current: inout Connection<Subject>?) -> Bool {
        if current === connection { current = nil }
        return !connection.over.exchange(true, ordering: .acquiringAndReleasing)
    }
}

/// A connection whose source waits for members during a pause.
private final class PausedConnection: Pausable {
    private let connection: any Disposable
    private let pauseState: SharedPauseState

    init(_ connection: any Disposable, _ pauseState: SharedPauseState) {
        (self.connection, self.pauseState) = (connection, pauseState)
    }

    func dispose() { connection.dispose() }
    func pause() {}
    func resume() { pauseState.stopWaitingForMembers() }
}

/// One subscription to the source, and the subject that receives its events.
final class Connection<Subject: SubjectType>: Sendable {
    let subject: Subject
    let source: SingleAssignmentDisposable
    let pauseState: SharedPauseState
    let over = Atomic<Bool>(false)
    /// The timer of the grace period, from the end of the last membership to the beginning of the next one. It is set under the
    /// lock of `Connections`.
    let graceTimer = Locked<SingleAssignmentDisposable?>(nil)

    // Accessed only under the lock of `Connections`.
    let memberCount = Atomic<Int>(0)
    let isConnected = Atomic<Bool>(false)

    init(_ subject: Subject, waitsForMembers: Bool) {
        self.subject = subject
        source = SingleAssignmentDisposable()
        pauseState = SharedPauseState(of: source, waitsForMembers: waitsForMembers)
    }

    var isOver: Bool { over.load(ordering: .acquiring) }

    func dispose() {
        takeGraceTimer()?.dispose()
        source.dispose()
    }

    func takeGraceTimer() -> SingleAssignmentDisposable? { graceTimer.withLock { $0.take() } }
}

/// The time that a connection lasts without observers.
struct GracePeriod: Sendable {
    let length: RxTimeInterval
    let scheduler: any SchedulerType
}

private final class ConnectionSink<Subject: SubjectType>: Sink<Subject.Observer.Element> {
    private let connection: Connection<Subject>
    private let connections: Connections<Subject>
    private let observer: Subject.Observer
    /// The observer list of a `PublishSubject`, which nearly all connections use. Elements go to it directly.
    private let multicaster: Multicaster<Subject.Observer.Element>?

    init(_ connection: Connection<Subject>, in connections: Connections<Subject>) {
        self.connection = connection
        self.connections = connections
        observer = connection.subject.asObserver()
        multicaster = (observer as? PublishSubject<Subject.Observer.Element>)?.multicaster
    }

    override func begin(with subscription: any Disposable & AnyObject) {
        // A member in another context can resume the source.
        connection.source.setDisposable(subscription.pausedInCurrentContext)
    }

    override func next(_ element: Subject.Observer.Element) {
        if connection.isOver { return }
        if let multicaster { multicaster.sendNext(element) } else { observer.onNext(element) }
    }

    override func error(_ error: any Error) { end(with: .error(error)) }
    override func completed() { end(with: .completed) }

    // The connection ends first. An observer that subscribes again when it receives the end therefore gets a new
    // connection.
    private func end(with event: Event<Subject.Observer.Element>) {
        if connection.isOver { return }
        connections.sourceHasEnded(connection)
        observer.on(event)
    }
}
