import Synchronization

extension ConnectableObservableType {
    /// Returns a stream that connects with the first observer and disconnects with the last one.
    /// Source: RxSwift's `refCount`.
    public func refCount() -> Observable<Element> {
        let counting = RefCounting(self)
        return Producer(isHot: true, counting.addMember)
    }
}

/// Counts the observers of a connectable stream of any type.
///
/// The lock protects only the count. It is never held during a subscribe, a connect or a dispose.
private final class RefCounting<Source: ConnectableObservableType>: Sendable {
    private let source: Source
    private let current = Locked<RefCountConnection?>(nil)

    init(_ source: Source) {
        self.source = source
    }

    @Sendable
    func addMember(_ sink: Sink<Source.Element>) {
        let (connection, isFirst) = current.withLock { current -> (RefCountConnection, Bool) in
            let connection = current ?? RefCountConnection()
            current = connection
            return (connection, connection.memberCount.add(1, ordering: .relaxed).newValue == 1)
        }
        // A stop event ends the connection for all. An observer that subscribes again when it receives it gets a new
        // connection.
        let membership = RefCountMembership { isOver in
            if isOver { self.end(connection) } else { self.endMembership(of: connection) }
        }
        source.asObservable().subscribe(RefCountSink(to: sink, membership))
        if isFirst, !connection.isOver.load(ordering: .acquiring) {
            connection.subscription.setDisposable(source.connect())
        }
    }

    private func endMembership(of connection: RefCountConnection) {
        let isLast = current.withLock { current in
            let isLast = connection.memberCount.subtract(1, ordering: .relaxed).newValue == 0
            if isLast, current === connection { current = nil }
            return isLast
        }
        if isLast { end(connection) }
    }

    private func end(_ connection: RefCountConnection) {
        current.withLock { if $0 === connection { $0 = nil } }
        connection.isOver.store(true, ordering: .releasing)
        connection.subscription.dispose()
    }
}

/// One connection, from its first observer to its last one.
private final class RefCountConnection: Sendable {
    let subscription = SingleAssignmentDisposable()
    let isOver = Atomic<Bool>(false)
    /// Changed only under the lock of `RefCounting`.
    let memberCount = Atomic<Int>(0)
}
