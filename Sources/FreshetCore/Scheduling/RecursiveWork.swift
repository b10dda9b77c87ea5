extension ImmediateSchedulerType {
    /// Runs `action` with `state`, and again with each state that `action` passes to `recurse`. Each run is scheduled
    /// separately. Source: RxSwift's `scheduleRecursive(_:action:)`.
    ///
    /// On a scheduler that runs work within the call, the next turn runs after the current turn has returned, not
    /// inside it. The stack stays flat however often the work recurs.
    ///
    ///     scheduler.scheduleRecursive(3) { count, recurse in
    ///         print(count)
    ///         if count > 0 { recurse(count - 1) }
    ///     }
    ///
    /// - Returns: a disposable that cancels the turns that have not begun.
    @preconcurrency
    public func scheduleRecursive<State: Sendable>(
        _ state: State, action: @escaping @Sendable (_ state: State, _ recurse: (State) -> Void) -> Void
    ) -> any Disposable {
        let work = RecursiveWork(action) { self.schedule($0, action: $1) }
        work.schedule(state)
        return work.waiting
    }
}

extension SchedulerType {
    /// Runs `action` with `state` after `dueTime`, and again with each state that `action` passes to `recurse`. Each of
    /// these runs waits for the time that `action` passes together with the state.
    @preconcurrency
    public func scheduleRecursive<State: Sendable>(
        _ state: State, dueTime: RxTimeInterval,
        action: @escaping @Sendable (_ state: State, _ recurse: (State, RxTimeInterval) -> Void) -> Void
    ) -> any Disposable {
        let work = RecursiveWork<Timed<State>>(
            { turn, recurse in action(turn.state) { recurse(Timed(state: $0, dueTime: $1)) } },
            schedule: { self.scheduleRelative($0, dueTime: $0.dueTime, action: $1) })
        work.schedule(Timed(state: state, dueTime: dueTime))
        return work.waiting
    }
}

private struct Timed<State: Sendable>: Sendable {
    let state: State
    let dueTime: RxTimeInterval
}

/// Work that schedules itself.
private final class RecursiveWork<State: Sendable>: Sendable {
    typealias Action = @Sendable (_ state: State, _ recurse: (State) -> Void) -> Void
    typealias Schedule = @Sendable (State, @escaping @Sendable (State) -> any Disposable) -> any Disposable

    /// The turns that have not begun.
    let waiting = CompositeDisposable()
    private let action: Action
    private let schedule: Schedule

    init(_ action: @escaping Action, schedule: @escaping Schedule) {
        self.action = action
        self.schedule = schedule
    }

    func schedule(_ state: State, from run: Run? = nil) {
        let handle = SingleAssignmentDisposable()
        guard let key = waiting.insert(handle) else { return }
        run?.isScheduling = true
        handle.setDisposable(
            schedule(state) { [run = UncheckedSendable(run)] state in
                self.waiting.remove(for: key)
                if let run = run.value, run.isCalledBack { run.ready.append(state) } else { self.run(state) }
                return Disposables.create()
            })
        run?.isScheduling = false
    }

    private func run(_ state: State) {
        let run = Run()
        var next: State? = state
        while let state = next, !waiting.isDisposed {
            action(state) { schedule($0, from: run) }
            next = run.ready.popFirst()
        }
    }

    /// One turn, and the turns that the scheduler runs within the call that schedules them.
    /// Only the thread of the run accesses the variables.
    final class Run {
        private let thread = ThreadIdentity.current
        var isScheduling = false
        var ready = Fifo<State>()

        var isCalledBack: Bool { thread == ThreadIdentity.current && isScheduling }
    }
}
