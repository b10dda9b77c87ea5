extension SerialScheduler {
    /// Subscribes to the sequence that `transaction` returns, once every earlier transaction of this scheduler has ended.
    ///
    /// The result is cold: each subscription is one transaction. The transaction enters the queue when an observer
    /// subscribes, begins on the underlying scheduler, and ends when its sequence succeeds, completes or fails. The
    /// observer receives the end first, and then the next transaction begins.
    ///
    /// Disposing of a subscription whose transaction has not begun removes the transaction from the queue. Disposing of
    /// a subscription whose transaction runs disposes of the subscription to its sequence, and then the next
    /// transaction begins. A transaction whose last step must not be interrupted keeps its subscription until that step
    /// has ended.
    ///
    /// Work that is passed to `schedule` does not wait for a transaction. A transaction waits for such work only while
    /// the work runs.
    ///
    /// ```
    /// let balance = serial.run { account.load().flatMap { account.save($0 + 1) } }
    /// ```
    @preconcurrency
    public func run<Trait, Element>(
        _ transaction: @escaping @Sendable () -> PrimitiveSequence<Trait, Element>
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(
            raw: .create { observer in
                let entry = self.transactions.append { number in
                    transaction().source.subscribe { event in
                        observer.on(event)
                        if event.isStopEvent { self.end(number) }
                    }
                }
                if entry.isFirst { self.begin(entry.item) }
                return Disposables.create { self.end(entry.number) }
            })
    }

    private func begin(_ transaction: TransactionLine.Item) {
        _ = schedule(()) { _ in
            transaction.invoke()
            return Disposables.create()
        }
    }

    private func end(_ number: Int) {
        let (ended, next) = transactions.remove(number)
        ended?.dispose()
        if let next { begin(next) }
    }
}

/// The transactions of one scheduler in the order of arrival. The first one is running.
final class TransactionLine: Sendable {
    typealias Item = ScheduledItem<Int>

    private struct State: Sendable {
        /// The transactions by number, in the order of arrival, from ``first`` on. Removed transactions leave gaps.
        var items: [Int: Item] = [:]
        var first = 1
        var last = 0
    }

    private let state = Locked(State())

    func append(
        _ transaction: @escaping (Int) -> any Disposable
    ) -> (number: Int, item: Item, isFirst: Bool) {
        state.withLock { state in
            state.last += 1
            let item = Item(state: state.last, action: transaction)
            state.items[state.last] = item
            return (state.last, item, state.first == state.last)
        }
    }

    /// - Returns: the transaction with that number, if it was still in the queue, and the transaction that begins after
    ///   its removal.
    func remove(_ number: Int) -> (removed: Item?, next: Item?) {
        state.withLock { state in
            guard let removed = state.items.removeValue(forKey: number) else { return (nil, nil) }
            guard number == state.first else { return (removed, nil) }
            repeat { state.first += 1 } while state.first <= state.last && state.items[state.first] == nil
            return (removed, state.items[state.first])
        }
    }
}
