import FreshetCore

/// A client's scheduler, as each request asks it.
final class ClientClock: Sendable {
    private let scheduler: any SchedulerType
    private let deadlines: any DeadlineScheduler

    /// With the scheduler's own deadlines, if it has any.
    init(_ scheduler: any SchedulerType) {
        self.scheduler = scheduler
        deadlines = scheduler as? any DeadlineScheduler ?? ScheduledDeadlines(on: scheduler)
    }

    var now: Instant { scheduler.now }

    func setDeadline(after span: Duration, from now: Instant, for target: any DeadlineTarget) -> DeadlineTicket {
        deadlines.setDeadline(after: span, from: now, for: target)
    }

    func takeBack(_ deadline: DeadlineTicket) { deadlines.takeBack(deadline) }
}
