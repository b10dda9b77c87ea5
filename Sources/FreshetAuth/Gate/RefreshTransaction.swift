import FreshetCore
import FreshetHTTP

/// One transaction on the gate's serial scheduler, from its place in the queue until it releases the store's lock.
///
/// It belongs to one operation at a time. A login that supersedes a refresh takes over the transaction of the refresh and its
/// lock.
final class RefreshTransaction: Sendable {
    private enum Lock {
        case queued
        case begun
        case current(any CredentialLease)
        case over

        var lease: (any CredentialLease)? { if case .current(let lease) = self { lease } else { nil } }
    }

    /// What an operation has to do to open the store.
    enum Opening: Equatable {
        case lock(attempt: Int)
        /// The transaction has the lock.
        case read
        /// The operation opens the store already, or the turn of the transaction has not come or is over.
        case nothing
    }

    private struct State {
        var operation: Int
        var lock = Lock.queued
        /// The operation for which the store was opened last.
        var openedFor: Int?
        /// The number of the latest attempt to lock the store.
        var attempt = 0
    }

    private let state: Locked<State>
    private let turn = SingleAssignmentDisposable()

    init(of operation: Int) {
        state = Locked(State(operation: operation))
    }

    /// Appends the transaction to the queue of `scheduler`, and calls `began` when its turn comes.
    func run(on scheduler: SerialScheduler, began: @escaping @Sendable (_ operation: Int) -> Void) {
        let transaction = scheduler.run {
            Completable.create { _ in
                let operation = self.state.withLock { state in
                    if case .queued = state.lock { state.lock = .begun }
                    return state.operation
                }
                began(operation)
                return Disposables.create { self.unlock() }
            }
        }
        turn.setDisposable(transaction.subscribe())
    }

    /// Leaves the queue, or releases the lock and then lets the next transaction begin.
    func end() {
        unlock()
        turn.dispose()
    }

    private func unlock() {
        let lease = state.withLock { state in
            defer { state.lock = .over }
            return state.lock.lease
        }
        lease?.unlock()
    }

    var operation: Int {
        get { state.withLock { $0.operation } }
        set { state.withLock { $0.operation = newValue } }
    }

    /// Begins to open the store for `operation`. An operation that takes over the transaction when its turn comes is told twice to
    /// open it, and the second time must not cancel what has begun. An attempt to lock the store supersedes an earlier one.
    func open(for operation: Int) -> Opening {
        state.withLock { state in
            guard state.openedFor != operation else { return .nothing }
            switch state.lock {
            case .queued, .over: return .nothing
            case .begun:
                state.openedFor = operation
                state.attempt += 1
                return .lock(attempt: state.attempt)
            case .current:
                state.openedFor = operation
                return .read
            }
        }
    }

    /// Lets the operation open the store once more, to read it again.
    func allowAnotherOpening() { state.withLock { $0.openedFor = nil } }

    var lease: (any CredentialLease)? { state.withLock { $0.lock.lease } }

    /// Keeps the store's lock, or releases it at once if the transaction has ended or another attempt has begun since. Two threads
    /// can be here at once: an operation that takes over the transaction begins an attempt while the lock arrives.
    ///
    /// - Returns: whether the lock is kept.
    func keep(_ lease: any CredentialLease, of attempt: Int) -> Bool {
        let isWanted = state.withLock { state in
            guard case .begun = state.lock, state.attempt == attempt else { return false }
            state.lock = .current(lease)
            return true
        }
        if !isWanted { lease.unlock() }
        return isWanted
    }
}

/// The work of an operation outside of the state machine.
struct RunningOperation: Sendable {
    /// The current step. The next step cancels it.
    let step = SerialDisposable()
    let deadline = SerialDisposable()
    let nextPeek = SerialDisposable()
    /// The pause grows from 20 ms to 80 ms: processes that read a store every 20 ms use more processor time for it than for
    /// their own work.
    private var pause = Duration.milliseconds(20)

    mutating func pauseBeforeTheNextPeek() -> Duration {
        defer { pause = min(pause * 5 / 4, .milliseconds(80)) }
        return pause
    }

    /// Runs the operation's next step on `scheduler`.
    func run<Result>(
        on scheduler: any SchedulerType, _ work: @escaping @Sendable () -> Single<Result>,
        _ completion: @escaping @Sendable (SingleEvent<Result>) -> Void
    ) {
        let running = SingleAssignmentDisposable()
        step.disposable = running
        running.setDisposable(scheduler.schedule(()) { work().subscribe(completion) })
    }

    func end() {
        step.dispose()
        deadline.dispose()
        nextPeek.dispose()
    }
}
