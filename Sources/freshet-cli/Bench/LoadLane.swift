import Freshet
import Synchronization

/// The load of one loop, where all of it happens: requests begin and are counted there, and nobody else is asked meanwhile.
final class LoadLane {
    /// What others may look at while it runs.
    final class Watched: Sendable {
        let ended = Atomic<Int>(0)
        let failed = Atomic<Int>(0)
        let running = Atomic<Int>(0)
    }

    /// What it came to.
    struct Result: Sendable {
        var tally: LoadTally
        /// Requests that were under way at the end, and of which nobody knows what would have come of them.
        var unfinished = 0
        /// When the last answer or failure came, or when it was stopped with requests under way.
        var end = Instant(sinceStart: .zero)
    }

    let loop: Loop
    private let watched: Watched
    private let plan: LoadPlan
    private let stream: Observable<RequestEvent>
    private let schedule: LoadSchedule?
    private let whenOver: @Sendable (Result) -> Void

    private var result: Result
    private var start = Instant(sinceStart: .zero)
    private var idle: [LoadSlot] = []
    private var slots: [LoadSlot] = []
    private var begun = 0
    private var deadline: (any Disposable)?
    private var pace: PreciseTimer?
    private var isClosing = false
    private var isOver = false

    /// - Parameter whenOver: called once, on the loop.
    init(
        on loop: Loop, plan: LoadPlan, offset: Double = 0, sending request: Request, by client: HTTPClient,
        keepsSeries: Bool, watched: Watched, whenOver: @escaping @Sendable (Result) -> Void
    ) {
        self.loop = loop
        self.watched = watched
        self.plan = plan
        self.whenOver = whenOver
        stream = client.events(request)
        schedule = plan.rate.map {
            LoadSchedule(rate: $0, requests: plan.requests, duration: plan.duration, offset: offset)
        }
        result = Result(tally: LoadTally(series: keepsSeries ? LoadSeries() : nil))
    }

    /// Begins, as if at `start`, on the loop.
    func begin(at start: Instant) {
        self.start = start
        result.end = start
        if schedule != nil { return beginSchedule() }
        if let duration = plan.duration {
            let left = start.advanced(by: duration).sinceStart - loop.now.sinceStart
            let stop = loop.bound { [unowned self] in self.stop() }
            deadline = LoopScheduler(loop).scheduleRelative((), dueTime: left) {
                stop()
                return Disposables.create()
            }
        }
        for _ in 0..<plan.concurrency {
            guard takesMore else { break }
            let slot = LoadSlot(of: self)
            slots.append(slot)
            send(in: slot, from: loop.now)
        }
        finishIfDone()
    }

    /// Ends it now; what is under way is let go of.
    func stop() {
        guard !isOver else { return }
        isOver = true
        isClosing = true
        deadline?.dispose()
        pace?.close()
        for slot in slots where slot.isBusy {
            result.unfinished += 1
            slot.cancel()
        }
        if result.unfinished > 0 { result.end = loop.now }
        slots = []
        idle = []
        watched.running.store(0, ordering: .relaxed)
        // In a later turn: this may be in the middle of an answer, or of the timer's call.
        loop.execute(
            loop.bound {
                self.pace = nil
                self.whenOver(self.result)
            })
    }

    // MARK: Closed loop

    private var takesMore: Bool { !isClosing && begun < plan.requests ?? .max }

    private func send(in slot: LoadSlot, from time: Instant) {
        begun += 1
        watched.running.store(begun - result.tally.requests, ordering: .relaxed)
        slot.send(stream, from: time)
    }

    // MARK: Open loop

    private func beginSchedule() {
        do {
            pace = try PreciseTimer(on: loop) { [unowned self] in keepPace() }
        } catch {
            result.tally.fail("overloaded", "no timer is to be had: \(error)")
            return stop()
        }
        keepPace()
    }

    /// Sends what is due, and waits for the next.
    private func keepPace() {
        guard let schedule, !isClosing else { return }
        while begun < schedule.due(at: start.duration(to: loop.now)) {
            let slot = idle.popLast() ?? newSlot()
            send(in: slot, from: start.advanced(by: schedule.time(of: begun)))
            if isOver { return }
        }
        if begun < schedule.count {
            pace?.start(at: start.advanced(by: schedule.time(of: begun)))
        } else {
            // Those who have not answered yet are the slow ones, and have to be counted.
            isClosing = true
            finishIfDone()
        }
    }

    private func newSlot() -> LoadSlot {
        let slot = LoadSlot(of: self)
        slots.append(slot)
        return slot
    }

    // MARK: Ends

    /// Counts the end of a request, and gives its slot the next.
    func ended(_ slot: LoadSlot, at now: Instant, after latency: Duration, with error: (any Error)?) {
        if isOver { return }
        result.end = now
        let nanoseconds = latency.wholeNanoseconds
        if let error {
            let (kind, example) = LoadTally.explain(error)
            result.tally.fail(kind, example)
        } else {
            result.tally.latency.record(nanoseconds)
            if slot.status < 400 {
                result.tally.answers += 1
            } else {
                result.tally.fail("status \(slot.status)", "the server answered \(slot.status)")
            }
        }
        result.tally.bytes += slot.received
        result.tally.connections += slot.connections
        if slot.isHTTP2 { result.tally.isHTTP2 = true }
        result.tally.series?.record(
            at: start.duration(to: now).wholeNanoseconds,
            latency: error == nil && slot.status < 400 ? nanoseconds : nil)
        watched.ended.store(result.tally.requests, ordering: .relaxed)
        watched.failed.store(result.tally.failures, ordering: .relaxed)
        if schedule != nil {
            idle.append(slot)
            watched.running.store(begun - result.tally.requests, ordering: .relaxed)
        } else if takesMore {
            return send(in: slot, from: now)
        }
        finishIfDone()
    }

    private func finishIfDone() {
        let isDone = schedule == nil ? !takesMore : isClosing
        if isDone, result.tally.requests >= begun { stop() }
    }
}
