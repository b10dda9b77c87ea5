import Freshet
import Synchronization

/// The load of one loop, where all of it happens: requests begin and are counted there, and nobody else is asked meanwhile.
// Unchecked: all but `watched` is the loop's.
final class LoadLane: @unchecked Sendable {
    /// What others may look at while it runs.
    struct Watched: ~Copyable, Sendable {
        let ended = Atomic<Int>(0)
        let failed = Atomic<Int>(0)
        let running = Atomic<Int>(0)
    }

    let loop: Loop
    let watched = Watched()
    private let plan: LoadPlan
    private let stream: Observable<RequestEvent>
    private let schedule: LoadSchedule?
    private let whenOver: @Sendable () -> Void

    private(set) var tally: LoadTally
    /// Requests that were under way at the end, and of which nobody knows what would have come of them.
    private(set) var unfinished = 0
    /// When the last answer or failure came, or when it was stopped with requests under way.
    private(set) var end = Instant(sinceStart: .zero)
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
        keepsSeries: Bool, whenOver: @escaping @Sendable () -> Void
    ) {
        self.loop = loop
        self.plan = plan
        self.whenOver = whenOver
        stream = client.events(request)
        schedule = plan.rate.map {
            LoadSchedule(rate: $0, requests: plan.requests, duration: plan.duration, offset: offset)
        }
        tally = LoadTally(series: keepsSeries ? LoadSeries() : nil)
    }

    /// Begins, as if at `start`, on the loop.
    func begin(at start: Instant) {
        self.start = start
        end = start
        if schedule != nil { return beginSchedule() }
        if let duration = plan.duration {
            let left = start.advanced(by: duration).sinceStart - loop.now.sinceStart
            deadline = LoopScheduler(loop).scheduleRelative((), dueTime: left) {
                self.stop()
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
            unfinished += 1
            slot.cancel()
        }
        if unfinished > 0 { end = loop.now }
        slots = []
        idle = []
        watched.running.store(0, ordering: .relaxed)
        // In a later turn: this may be in the middle of an answer, or of the timer's call.
        loop.execute {
            self.pace = nil
            self.whenOver()
        }
    }

    // MARK: Closed loop

    private var takesMore: Bool { !isClosing && begun < plan.requests ?? .max }

    private func send(in slot: LoadSlot, from time: Instant) {
        begun += 1
        watched.running.store(begun - tally.requests, ordering: .relaxed)
        slot.send(stream, from: time)
    }

    // MARK: Open loop

    private func beginSchedule() {
        do {
            pace = try PreciseTimer(on: loop) { self.keepPace() }
        } catch {
            tally.fail("overloaded", "no timer is to be had: \(error)")
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
        end = now
        let nanoseconds = latency.wholeNanoseconds
        if let error {
            let (kind, example) = LoadTally.explain(error)
            tally.fail(kind, example)
        } else {
            tally.latency.record(nanoseconds)
            if slot.status < 400 {
                tally.answers += 1
            } else {
                tally.fail("status \(slot.status)", "the server answered \(slot.status)")
            }
        }
        tally.bytes += slot.received
        tally.connections += slot.connections
        if slot.isHTTP2 { tally.isHTTP2 = true }
        tally.series?.record(
            at: start.duration(to: now).wholeNanoseconds,
            latency: error == nil && slot.status < 400 ? nanoseconds : nil)
        watched.ended.store(tally.requests, ordering: .relaxed)
        watched.failed.store(tally.failures, ordering: .relaxed)
        if schedule != nil {
            idle.append(slot)
            watched.running.store(begun - tally.requests, ordering: .relaxed)
        } else if takesMore {
            return send(in: slot, from: now)
        }
        finishIfDone()
    }

    private func finishIfDone() {
        let isDone = schedule == nil ? !takesMore : isClosing
        if isDone, tally.requests >= begun { stop() }
    }
}
