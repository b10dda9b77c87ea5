import Dispatch
import Freshet
import Synchronization

/// Opens many streams, a few at a time, and holds them.
final class StreamHold: Sendable {
    struct Plan: Sendable {
        var streams: Int
        /// How many are being opened at once.
        var concurrency: Int
        /// From the moment that the last one is open.
        var duration: Duration
        /// For the head of each.
        var timeout: Duration
    }

    /// What is open, and what became of the others.
    private struct State {
        var opening: [HeldStream] = []
        var held: [HeldStream] = []
        var begun = 0
        var opened = 0
        var openSeconds: Double?
        var cpuWhenOpen: Double?
        var kinds = LoadTally()
        var series: StreamSeries?
        var nextSample: (any Disposable)?
        var sweep: (any Disposable)?
        var end: (any Disposable)?
        var isOver = false

        /// Whether none is being opened any more, which nobody has noticed yet.
        func hasOpenedAll(of count: Int) -> Bool {
            !isOver && openSeconds == nil && begun == count && opening.isEmpty
        }
    }

    private let plan: Plan
    private let loop: Loop
    private let stream: Observable<RequestEvent>
    private let over = DispatchGroup()
    private let usageBefore = (cpu: ProcessUsage().cpu, resident: ProcessUsage.resident)
    private let start: Instant

    private let openNow = Atomic<Int>(0)
    private let failedSoFar = Atomic<Int>(0)
    private let state: LoopBound<State>
    private let result = Locked<StreamsOutcome?>(nil)

    /// Begins at once.
    ///
    /// - Parameter keepsSeries: takes samples from time to time, also while the streams are silent.
    init(_ plan: Plan, sending request: Request, by client: HTTPClient, on loop: Loop, keepsSeries: Bool) {
        self.plan = plan
        self.loop = loop
        var request = request
        var transfer = request.transfer ?? client.configuration.transfer
        transfer.isLongLived = true
        request.transfer = transfer
        stream = client.events(request)
        var state = State(series: keepsSeries ? StreamSeries() : nil)
        state.held.reserveCapacity(plan.streams)
        self.state = .sending(state, on: loop)
        start = loop.now
        over.enter()
        loop.execute(begin)
    }

    /// Ends it early; can be called from any thread.
    func stop() {
        loop.execute(finish)
    }

    /// Waits for the end.
    func outcome() -> StreamsOutcome {
        over.wait()
        guard let outcome = result.withLock({ $0 }) else { preconditionFailure("The end came without an outcome") }
        return outcome
    }

    @Sendable
    func text() -> String {
        let open = openNow.load(ordering: .relaxed)
        let failed = failedSoFar.load(ordering: .relaxed)
        return "\(bar(Double(open) / Double(plan.streams), width: 20)) \(grouped(open)) of \(grouped(plan.streams)) "
            + "streams open, \(grouped(failed)) errors"
    }

    // MARK: Opening

    @Sendable
    private func begin() {
        state.value.sweep = LoopScheduler(loop).schedulePeriodic((), startAfter: .seconds(1), period: .seconds(1)) {
            _ in
            self.giveUpOnTheSlow()
        }
        if state.value.series != nil { sample() }
        openMore()
    }

    private func openMore() {
        while !state.value.isOver, state.value.begun < plan.streams, state.value.opening.count < plan.concurrency {
            state.value.begun += 1
            let stream = HeldStream(of: self, since: loop.now)
            state.value.opening.append(stream)
            stream.begin(self.stream)
        }
        guard state.value.hasOpenedAll(of: plan.streams) else { return }
        state.value.openSeconds = start.duration(to: loop.now) / .seconds(1)
        state.value.cpuWhenOpen = ProcessUsage().cpu
        // From here on nothing of ours wakes the loop before the end.
        state.value.sweep?.dispose()
        state.value.sweep = nil
        guard openNow.load(ordering: .relaxed) > 0 else { return finish() }
        state.value.end = LoopScheduler(loop).scheduleRelative((), dueTime: plan.duration) {
            self.finish()
            return Disposables.create()
        }
    }

    private func giveUpOnTheSlow() {
        let now = loop.now
        for stream in state.value.opening where stream.since.duration(to: now) >= plan.timeout {
            stream.cancel()
            failed(stream, "timeout", "no answer came within \(Quantity.seconds(plan.timeout / .seconds(1)))")
        }
    }

    /// Takes a sample, and looks forward to the next one.
    private func sample() {
        takeSample()
        guard var distance = state.value.series?.distance else { return }
        // To hold them is to cost next to nothing, and looking is not for nothing.
        if state.value.openSeconds != nil { distance = max(distance, plan.duration / 60) }
        state.value.nextSample = LoopScheduler(loop).scheduleRelative((), dueTime: distance) {
            self.sample()
            return Disposables.create()
        }
    }

    private func takeSample() {
        let sample = StreamSeries.Sample(
            time: start.duration(to: loop.now) / .seconds(1), open: openNow.load(ordering: .relaxed),
            failed: state.value.kinds.failures, resident: ProcessUsage.resident)
        state.value.series?.record(sample)
    }

    // MARK: What the streams say

    fileprivate func isOpen(_ stream: HeldStream) {
        guard !state.value.isOver else { return }
        state.value.opening.removeAll { $0 === stream }
        state.value.held.append(stream)
        state.value.opened += 1
        let latency = stream.since.duration(to: loop.now).components
        state.value.kinds.latency.record(latency.seconds * 1_000_000_000 + latency.attoseconds / 1_000_000_000)
        openNow.add(1, ordering: .relaxed)
        openLater()
    }

    fileprivate func failed(_ stream: HeldStream, _ kind: String, _ example: String) {
        guard !state.value.isOver else { return }
        state.value.kinds.fail(kind, example)
        failedSoFar.store(state.value.kinds.failures, ordering: .relaxed)
        if stream.isOpen { openNow.subtract(1, ordering: .relaxed) }
        state.value.opening.removeAll { $0 === stream }
        openLater()
    }

    /// In a later turn, so that failures at once are not on top of each other.
    private func openLater() {
        if state.value.openSeconds == nil { loop.execute(openMore) }
    }

    // MARK: The end

    @Sendable
    private func finish() {
        guard !state.value.isOver else { return }
        state.value.isOver = true
        // Before they are closed, which is no part of it.
        let cpuAtEnd = ProcessUsage().cpu
        let resident = ProcessUsage.resident
        let seconds = start.duration(to: loop.now) / .seconds(1)
        state.value.nextSample?.dispose()
        if state.value.series != nil { takeSample() }
        let last = state.value
        last.sweep?.dispose()
        last.end?.dispose()
        state.value = State(isOver: true)
        for stream in last.opening + last.held { stream.cancel() }
        let cpuWhenOpen = last.cpuWhenOpen ?? cpuAtEnd
        let outcome = StreamsOutcome(
            asked: plan.streams, open: last.opened, openSeconds: last.openSeconds ?? seconds,
            residentPerStream: last.opened == 0
                ? nil : Double(max(0, resident - usageBefore.resident)) * 1024 / Double(last.opened),
            openingCPU: cpuWhenOpen - usageBefore.cpu, holdingCPU: cpuAtEnd - cpuWhenOpen,
            peakResident: ProcessUsage.peakResident,
            failuresByCount: last.kinds.failuresByCount, failures: last.kinds.failures, latency: last.kinds.latency,
            seconds: seconds, residentBefore: usageBefore.resident, series: last.series)
        result.withLock { $0 = outcome }
        over.leave()
    }
}

/// One stream: as little as can be, for there are many. It belongs to the loop.
private final class HeldStream: ObserverType {
    private unowned let hold: StreamHold
    let since: Instant
    private(set) var isOpen = false
    private var isEnded = false
    private var subscription: (any Disposable)?

    init(of hold: StreamHold, since: Instant) {
        self.hold = hold
        self.since = since
    }

    func begin(_ stream: Observable<RequestEvent>) {
        let subscription = stream.subscribe(self)
        if !isEnded { self.subscription = subscription }
    }

    func cancel() {
        isEnded = true
        subscription?.dispose()
        subscription = nil
    }

    func on(_ event: Event<RequestEvent>) {
        guard !isEnded else { return }
        switch event {
        case .next(.head(let head, _)):
            if head.status.kind == .successful {
                isOpen = true
                hold.isOpen(self)
            } else {
                cancel()
                hold.failed(self, "status \(head.status.code)", "the server answered \(head.status.code)")
            }
        case .next:
            break
        case .error(let error):
            let (kind, example) = LoadTally.explain(error)
            isEnded = true
            hold.failed(self, kind, example)
        case .completed:
            isEnded = true
            hold.failed(self, "ended", "the server ended the stream")
        }
    }
}
