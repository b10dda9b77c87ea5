import Freshet
import Synchronization

/// Sends the load of one loop. Used on that loop alone.
final class LoadWorker {
    /// The counts that other threads read during the run.
    final class Counters: Sendable {
        let ended = Atomic<Int>(0)
        let failed = Atomic<Int>(0)
        let running = Atomic<Int>(0)
    }

    struct Result: Sendable {
        var tally: LoadTally
        /// The number of requests that were due or in flight at the end.
        var unfinished = 0
        /// How many of them had no connection yet.
        var unsent = 0
        /// The time of the last response or failure, or the time at which the worker was stopped with requests in flight.
        var end = Instant(sinceStart: .zero)
    }

    let loop: Loop
    private let counters: Counters
    private let plan: LoadPlan
    private let target: LoadTarget
    private let stream: Observable<RequestEvent>
    private let schedule: LoadSchedule?
    private let onEnd: @Sendable (Result) -> Void

    private var result: Result
    private var start = Instant(sinceStart: .zero)
    private var users: [VirtualUser] = []
    /// The users that wait for the next request.
    private var idle: [VirtualUser] = []
    private var begun = 0
    private var deadline: (any Disposable)?
    private var timer: PreciseTimer?
    private var loopEnd: LoopEnd?
    private var isClosing = false
    private var isOver = false

    /// - Parameter onEnd: called once, on the loop.
    init(
        on loop: Loop, plan: LoadPlan, offset: Double, target: LoadTarget, keepsSeries: Bool, counters: Counters,
        onEnd: @escaping @Sendable (Result) -> Void
    ) {
        self.loop = loop
        self.counters = counters
        self.plan = plan
        self.target = target
        self.onEnd = onEnd
        stream = target.events(target.request, on: loop)
        schedule = plan.rate.map {
            LoadSchedule(rate: $0, requests: plan.requests, duration: plan.duration, offset: offset)
        }
        result = Result(tally: LoadTally(series: keepsSeries ? LoadSeries() : nil))
    }

    /// - Parameter start: the time from which the schedule and the duration count.
    func begin(at start: Instant) {
        self.start = start
        result.end = start
        loopEnd = LoopEnd(of: loop) {
            self.result.tally.failures.record(.loopHasEnded)
            self.stop()
        }
        do {
            if schedule != nil { timer = try PreciseTimer(on: loop) { [unowned self] in proceed() } }
        } catch {
            result.tally.failures.record(LoadFailure(kind: "overloaded", example: "no timer is available: \(error)"))
            return stop()
        }
        beginDeadline()
        proceed()
    }

    /// Ends a closed loop after the duration.
    private func beginDeadline() {
        guard schedule == nil, let duration = plan.duration else { return }
        let left = start.advanced(by: duration).sinceStart - loop.now.sinceStart
        let stop = loop.bound { [unowned self] in self.stop() }
        deadline = LoopScheduler(loop).scheduleRelative((), dueTime: left) {
            stop()
            return Disposables.create()
        }
    }

    /// Ends the work at once, and cancels the requests in flight.
    func stop() {
        guard !isOver else { return }
        isOver = true
        close()
        deadline?.dispose()
        timer?.close()
        loopEnd?.close()
        loopEnd = nil
        if users.contains(where: \.isBusy) { result.end = loop.now }
        cancel { _ in true }
        users = []
        idle = []
        counters.running.store(0, ordering: .relaxed)
        // In a later turn, because this call can come from a response or from the timer.
        let isAccepted = loop.execute(
            loop.bound {
                self.timer = nil
                self.onEnd(self.result)
            })
        // The loop is ending.
        if !isAccepted { onEnd(result) }
    }

    /// Cancels the requests of some users, and does not count them.
    private func cancel(_ isIncluded: (VirtualUser) -> Bool) {
        for user in users where user.isBusy && isIncluded(user) {
            result.unfinished += 1
            if !user.isAdmitted { result.unsent += 1 }
            begun -= 1
            user.cancel()
        }
    }

    /// Begins no more requests. Those that are due and were not begun are not counted.
    private func close() {
        guard !isClosing else { return }
        isClosing = true
        let missed = max(0, (schedule?.due(at: start.duration(to: loop.now)) ?? 0) - begun)
        result.unfinished += missed
        result.unsent += missed
    }

    /// Sends the requests that are due, as long as there are users for them, and sets the timer for the next one.
    private func proceed() {
        // What becomes due meanwhile is sent in a later turn, because responses can come synchronously.
        let now = loop.now
        while let time = nextStart(at: now), let user = idle.popLast() ?? newUser() { send(by: user, from: time) }
        if let schedule, !isClosing { wait(for: schedule, at: now) }
        finishIfDone()
    }

    private func wait(for schedule: LoadSchedule, at now: Instant) {
        let due = schedule.due(at: start.duration(to: now))
        let end = schedule.duration.map { start.advanced(by: $0) }
        if due < schedule.count {
            timer?.start(at: start.advanced(by: schedule.time(of: due)))
        } else if let end, now < end {
            timer?.start(at: end)
        } else if let end {
            // The slowest responses have not arrived yet, and have to be counted. What still waits for a connection would have
            // the run go on for as long as the server takes.
            close()
            result.end = max(result.end, end)
            cancel { !$0.isAdmitted }
        }
    }

    /// The time from which the latency of the next request counts; `nil` if it is not due, or none is left.
    private func nextStart(at now: Instant) -> Instant? {
        guard !isClosing, begun < plan.requests ?? .max else { return nil }
        guard let schedule else { return now }
        guard begun < schedule.due(at: start.duration(to: now)) else { return nil }
        return start.advanced(by: schedule.time(of: begun))
    }

    private func send(by user: VirtualUser, from time: Instant) {
        begun += 1
        counters.running.store(begun - result.tally.requests, ordering: .relaxed)
        user.send(stream, from: time)
    }

    /// - Returns: `nil` if the plan allows no more requests at once.
    private func newUser() -> VirtualUser? {
        guard users.count < plan.mostAtOnce else { return nil }
        let user = VirtualUser(of: self)
        users.append(user)
        return user
    }

    /// Counts the end of a request. Its user then sends the next one.
    func requestEnded(_ user: VirtualUser, at now: Instant, after latency: Duration, with error: (any Error)?) {
        if isOver { return }
        result.end = now
        count(user, at: now, after: latency.wholeNanoseconds, with: error)
        // The client is shutting down, and refuses all further requests.
        if (error as? HTTPClientError)?.code == .cancelled { return stop() }
        counters.running.store(begun - result.tally.requests, ordering: .relaxed)
        guard user.needsTurn else { return proceed(by: user, at: now) }
        // A loop that is ending refuses this, and then ends the work.
        loop.execute(loop.bound { [self] in proceed(by: user, at: loop.now) })
    }

    private func proceed(by user: VirtualUser, at now: Instant) {
        if isOver { return }
        if let time = nextStart(at: now) { return send(by: user, from: time) }
        idle.append(user)
        finishIfDone()
    }

    private func count(_ user: VirtualUser, at now: Instant, after nanoseconds: Int64, with error: (any Error)?) {
        if error == nil {
            result.tally.latency.record(nanoseconds)
        } else {
            result.tally.recordFailure(after: Double(nanoseconds) / 1e9)
        }
        let failure = error.map(target.failure) ?? (user.status < 400 ? nil : .status(user.status, to: target.request))
        if let failure { result.tally.failures.record(failure) } else { result.tally.responses += 1 }
        result.tally.bytes += user.received
        result.tally.connections += user.connections
        if user.isHTTP2 { result.tally.isHTTP2 = true }
        result.tally.series?.record(
            at: start.duration(to: now).wholeNanoseconds, latency: error == nil ? nanoseconds : nil,
            isFailure: failure != nil)
        counters.ended.store(result.tally.requests, ordering: .relaxed)
        counters.failed.store(result.tally.failures.count, ordering: .relaxed)
    }

    private func finishIfDone() {
        // Nothing is due after the last one. A schedule that a duration limits lasts until its end.
        let isDone = isClosing || schedule?.duration == nil && begun >= plan.requests ?? .max
        if isDone, result.tally.requests >= begun { stop() }
    }
}
