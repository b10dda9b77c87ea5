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
        /// The number of requests that were in flight at the end.
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
    /// In an open loop, the users that wait for the next request.
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
        if schedule == nil { beginClosedLoop() } else { beginOpenLoop() }
    }

    /// Ends the work at once, and cancels the requests in flight.
    func stop() {
        guard !isOver else { return }
        isOver = true
        isClosing = true
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

    private func beginClosedLoop() {
        if let duration = plan.duration {
            let left = start.advanced(by: duration).sinceStart - loop.now.sinceStart
            let stop = loop.bound { [unowned self] in self.stop() }
            deadline = LoopScheduler(loop).scheduleRelative((), dueTime: left) {
                stop()
                return Disposables.create()
            }
        }
        for _ in 0..<plan.concurrency {
            guard canBeginMore else { break }
            send(by: newUser(), from: loop.now)
        }
        finishIfDone()
    }

    private var canBeginMore: Bool { !isClosing && begun < plan.requests ?? .max }

    private func send(by user: VirtualUser, from time: Instant) {
        begun += 1
        counters.running.store(begun - result.tally.requests, ordering: .relaxed)
        user.send(stream, from: time)
    }

    private func beginOpenLoop() {
        do {
            timer = try PreciseTimer(on: loop) { [unowned self] in sendDueRequests() }
        } catch {
            result.tally.failures.record(LoadFailure(kind: "overloaded", example: "no timer is available: \(error)"))
            return stop()
        }
        sendDueRequests()
    }

    private func sendDueRequests() {
        guard let schedule, !isClosing else { return }
        // What becomes due meanwhile is sent in a later turn, because responses can come synchronously.
        let due = schedule.due(at: start.duration(to: loop.now))
        while begun < due {
            send(by: idle.popLast() ?? newUser(), from: start.advanced(by: schedule.time(of: begun)))
            if isOver { return }
        }
        let end = schedule.duration.map { start.advanced(by: $0) }
        if begun < schedule.count {
            timer?.start(at: start.advanced(by: schedule.time(of: begun)))
        } else if let end, loop.now < end {
            timer?.start(at: end)
        } else {
            // The slowest responses have not arrived yet, and have to be counted. What still waits for a connection would have
            // the run go on for as long as the server takes.
            isClosing = true
            if let end {
                result.end = max(result.end, end)
                cancel { !$0.isAdmitted }
            }
            finishIfDone()
        }
    }

    private func newUser() -> VirtualUser {
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
        if schedule != nil {
            idle.append(user)
            counters.running.store(begun - result.tally.requests, ordering: .relaxed)
        } else if canBeginMore {
            return user.needsTurn ? sendLater(by: user) : send(by: user, from: now)
        }
        finishIfDone()
    }

    private func sendLater(by user: VirtualUser) {
        // A loop that is ending refuses this, and then ends the work.
        loop.execute(
            loop.bound { [self] in
                if canBeginMore { send(by: user, from: loop.now) } else { finishIfDone() }
            })
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
        let isDone = schedule == nil ? !canBeginMore : isClosing
        if isDone, result.tally.requests >= begun { stop() }
    }
}
