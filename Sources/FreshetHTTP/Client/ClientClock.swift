import FreshetCore

/// A client's scheduler as each request asks it. An object, for a closure is held anew for each call of it.
// Unchecked, as it can be inherited from: it never changes.
class ClientClock: @unchecked Sendable {
    func now() -> Instant { Instant(sinceStart: .zero) }
    func setDeadline(after span: Duration, from now: Instant, for target: any DeadlineTarget) -> DeadlineTicket? { nil }
    func takeBack(_ deadline: DeadlineTicket) {}

    /// With the scheduler's own deadlines, if it has any.
    static func of(_ scheduler: any SchedulerType) -> ClientClock {
        if let deadlines = scheduler as? any DeadlineScheduler { return clock(scheduler, deadlines) }
        return clock(scheduler, ScheduledDeadlines(on: scheduler))
    }

    private static func clock(_ scheduler: some SchedulerType, _ deadlines: some DeadlineScheduler) -> ClientClock {
        ClockOf(scheduler, deadlines)
    }
}

private final class ClockOf<Scheduler: SchedulerType, Deadlines: DeadlineScheduler>: ClientClock, @unchecked Sendable {
    private let scheduler: Scheduler
    private let deadlines: Deadlines

    init(_ scheduler: Scheduler, _ deadlines: Deadlines) {
        self.scheduler = scheduler
        self.deadlines = deadlines
    }

    override func now() -> Instant { scheduler.now }
    override func setDeadline(
        after span: Duration, from now: Instant, for target: any DeadlineTarget
    ) -> DeadlineTicket? {
        deadlines.setDeadline(after: span, from: now, for: target)
    }
    override func takeBack(_ deadline: DeadlineTicket) { deadlines.takeBack(deadline) }
}
