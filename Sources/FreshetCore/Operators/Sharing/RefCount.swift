import Synchronization

extension ConnectableObservableType {
    /// Returns a stream that connects with the first observer and disconnects with the last one.
    /// Source: RxSwift's `refCount`.
    public func refCount() -> Observable<Element> {
        let counting = RefCounting(self)
        return Producer(counting.lease)
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
    func lease(to sink: Sink<Source.Element>) {
        let (tenure, isFirst) = current.withLock { current -> (RefCountConnection, Bool) in
            let tenure = current ?? RefCountConnection()
            current = tenure
            return (tenure, tenure.leases.add(1, ordering: .relaxed).newValue == 1)
        }
        // A stop event ends the connection for all. An observer that subscribes again when it receives it gets a new
        // connection.
        let lease = RefCountMembership { isOver in
            if isOver { self.end(tenure) } else { self.endMembership(of: tenure) }
        }
        source.asObservable().subscribe(RefCountSink(to: sink, lease))
        if isFirst, !tenure.isOver.load(ordering: .acquiring) { tenure.connection.setDisposable(source.connect()) }
    }

    private func endMembership(of tenure: RefCountConnection) {
        let isLast = current.withLock { current in
            let isLast = tenure.leases.subtract(1, ordering: .relaxed).newValue == 0
            if isLast, current === tenure { current = nil }
            return isLast
        }
        if isLast { end(tenure) }
    }

    private func end(_ tenure: RefCountConnection) {
        current.withLock { if $0 === tenure { $0 = nil } }
        tenure.isOver.store(true, ordering: .releasing)
        tenure.connection.dispose()
    }
}

/// One connection, from its first observer to its last one.
private final class RefCountConnection: Sendable {
    let connection = SingleAssignmentDisposable()
    let isOver = Atomic<Bool>(false)
    /// Changed only under the lock of `RefCounting`.
    let leases = Atomic<Int>(0)
}
