import FreshetCore

/// What a flight of the state machine holds outside of it: the store's lock, the step that runs, the deadline.
final class RefreshFlight: Sendable {
    private enum Lock {
        case unwanted
        case wanted
        case held(any CredentialLease)
        case released
    }

    private let lock = Locked(Lock.unwanted)
    private let step = SerialDisposable()
    private let deadline = SerialDisposable()
    private let watch = SerialDisposable()
    private let pause = Locked(Duration.milliseconds(20))

    init() {
        Resources.increment()
    }

    deinit { Resources.decrement() }

    /// The next deadline takes the place of the one before.
    func limit(by deadline: any Disposable) {
        self.deadline.disposable = deadline
    }

    /// Runs the flight's next step on `scheduler`; it ends the one before.
    func run<Result>(
        on scheduler: any SchedulerType, _ work: @escaping @Sendable () -> Single<Result>,
        _ completion: @escaping @Sendable (SingleEvent<Result>) -> Void
    ) {
        let running = SingleAssignmentDisposable()
        step.disposable = running
        running.setDisposable(scheduler.schedule(()) { work().subscribe(completion) })
    }

    /// - Returns: whether nobody has asked for the lock before.
    func wantsLock() -> Bool {
        lock.withLock { lock in
            guard case .unwanted = lock else { return false }
            lock = .wanted
            return true
        }
    }

    /// 20 ms at first and 80 at last: programs that look at a store every 20 ms take more of the processor than their work.
    func pauseBeforeTheNextLook() -> Duration {
        pause.withLock { pause in
            defer { pause = min(pause * 5 / 4, .milliseconds(80)) }
            return pause
        }
    }

    /// Looks at the store now and then; the next look ends the one before.
    func watch(_ look: any Disposable) {
        watch.disposable = look
    }

    /// Takes the store's lock, or gives it back at once if the flight is over.
    func hold(_ lease: any CredentialLease) {
        let isWanted = lock.withLock { lock in
            guard case .wanted = lock else { return false }
            lock = .held(lease)
            return true
        }
        watch.dispose()
        if !isWanted { lease.unlock() }
    }

    var lease: (any CredentialLease)? {
        lock.withLock { lock in
            if case .held(let lease) = lock { lease } else { nil }
        }
    }

    /// Takes the lock that another flight had.
    func inherit(_ lease: any CredentialLease) {
        lock.withLock { $0 = .held(lease) }
    }

    /// Leaves the lock to another flight.
    func surrender() -> (any CredentialLease)? {
        lock.withLock { lock in
            defer { lock = .released }
            return if case .held(let lease) = lock { lease } else { nil }
        }
    }

    func close() {
        step.dispose()
        deadline.dispose()
        watch.dispose()
        surrender()?.unlock()
    }
}
