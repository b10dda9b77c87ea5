public import FreshetCore

extension LoopScheduler {
    public func setDeadline(after span: Duration, from now: Instant, for target: any DeadlineTarget) -> Deadline {
        let due = now.advanced(by: span)
        if loop.isCurrent {
            return withoutRetaining(loop.deadlines) {
                Deadline(.listed($0.set(at: due, from: now, for: target), list: $0.list))
            }
        }
        let deadline = CrossThreadDeadline(on: loop, at: due, from: now, for: target)
        _ = loop.execute(deadline)
        return Deadline(deadline)
    }

    public func cancel(_ deadline: Deadline) {
        switch deadline.place {
        case .listed(let number, _):
            if loop.isCurrent { return withoutRetaining(loop.deadlines) { $0.cancel(number) } }
            loop.execute { [loop] in loop.deadlines.cancel(number) }
        case .work(let work):
            work.dispose()
        }
    }
}

/// A deadline that was set on another thread than the loop's. The loop sets it when it runs this work.
private final class CrossThreadDeadline: Disposable, LoopWork {
    private struct State {
        var target: (any DeadlineTarget)?
        var number: LoopDeadlines.Number = 0
    }

    private let loop: Loop
    private let due: Instant
    private let now: Instant
    private let state: LoopBound<State>

    init(on loop: Loop, at due: Instant, from now: Instant, for target: any DeadlineTarget) {
        self.loop = loop
        self.due = due
        self.now = now
        state = .sending(State(target: target), on: loop)
    }

    func runOnLoop() {
        guard let target = state.value.target.take() else { return }
        state.value.number = loop.deadlines.set(at: due, from: now, for: target)
    }

    func dispose() {
        if loop.isCurrent { cancel() } else { loop.execute { self.cancel() } }
    }

    private func cancel() {
        state.value.target = nil
        loop.deadlines.cancel(state.value.number)
    }
}
