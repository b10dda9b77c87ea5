import FreshetCore
import FreshetHTTP

/// One transaction on the gate's serial scheduler: from its place in the line until the store's lock is given back.
///
/// It belongs to one operation at a time. A login that takes the place of a refresh inherits its transaction, and the lock
/// with it.
final class RefreshTransaction: Sendable {
    private enum Lock {
        case inLine
        case begun
        case held(any CredentialLease)
        case over

        var lease: (any CredentialLease)? { if case .held(let lease) = self { lease } else { nil } }
    }

    private struct State {
        var operation: Int
        var lock = Lock.inLine
    }

    private let state: Locked<State>
    private let turn = SingleAssignmentDisposable()

    init(of operation: Int) {
        state = Locked(State(operation: operation))
    }

    /// Takes its place in the line of `scheduler`, and calls `began` when its turn has come.
    func run(on scheduler: SerialScheduler, began: @escaping @Sendable (_ operation: Int) -> Void) {
        let transaction = scheduler.run {
            Completable.create { _ in
                let operation = self.state.withLock { state in
                    if case .inLine = state.lock { state.lock = .begun }
                    return state.operation
                }
                began(operation)
                return Disposables.create { self.unlock() }
            }
        }
        turn.setDisposable(transaction.subscribe())
    }

    /// Leaves the line; or gives the lock back, and then lets the next begin.
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

    /// Whether its turn has come and the lock is still to be had.
    var isUnlocked: Bool {
        state.withLock { if case .begun = $0.lock { true } else { false } }
    }

    var lease: (any CredentialLease)? { state.withLock { $0.lock.lease } }

    /// Takes the store's lock, or gives it back at once if it is not wanted any more.
    func hold(_ lease: any CredentialLease) {
        let isWanted = state.withLock { state in
            guard case .begun = state.lock else { return false }
            state.lock = .held(lease)
            return true
        }
        if !isWanted { lease.unlock() }
    }
}

/// What an operation does outside of the state machine.
struct RunningOperation: Sendable {
    /// One at a time: the next ends the one before.
    let step = SerialDisposable()
    let deadline = SerialDisposable()
    let nextPeek = SerialDisposable()
    /// 20 ms at first and 80 at last: programs that look at a store every 20 ms take more of the processor than their work.
    private var pause = Duration.milliseconds(20)

    mutating func pauseBeforeTheNextPeek() -> Duration {
        defer { pause = min(pause * 5 / 4, .milliseconds(80)) }
        return pause
    }

    /// Runs its next step on `scheduler`.
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
