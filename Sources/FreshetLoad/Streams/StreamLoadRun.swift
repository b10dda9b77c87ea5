import Dispatch
public import Freshet
import Synchronization

/// A load run that opens many streams, a few at a time, and holds them.
public final class StreamLoadRun: Sendable {
    private struct State {
        var opening: [HeldStream] = []
        var held: [HeldStream] = []
        var begun = 0
        var openSeconds: Double?
        var cpuWhenOpen: Double?
        var failures = LoadFailures()
        var latency = LatencyHistogram()
        var series: StreamSeries?
        var nextSample: (any Disposable)?
        var timeouts: (any Disposable)?
        var end: (any Disposable)?
        var isOver = false

        /// Whether no stream is being opened any more, and this has not been recorded yet.
        func hasJustOpenedAll(of count: Int) -> Bool {
            !isOver && openSeconds == nil && begun == count && opening.isEmpty
        }
    }

    let target: LoadTarget
    private let plan: StreamLoadPlan
    private let loop: Loop
    private let stream: Observable<RequestEvent>
    private let over = DispatchGroup()
    private let usageBefore = (cpu: ProcessUsage().cpu, resident: ProcessUsage.resident)
    private let start: Instant

    private let openNow = Atomic<Int>(0)
    private let failedSoFar = Atomic<Int>(0)
    private let state: LoopBound<State>
    private let result = Locked<StreamLoadOutcome?>(nil)

    /// Creates a run, which begins at once.
    ///
    /// - Parameter keepsSeries: whether the outcome has the samples over time that a report draws. Taking them costs CPU time
    ///   while the streams are silent.
    public init(_ plan: StreamLoadPlan, at target: LoadTarget, on loop: Loop, keepsSeries: Bool) {
        self.plan = plan
        self.target = target
        self.loop = loop
        var request = target.request
        var transfer = request.transfer ?? target.client.configuration.transfer
        transfer.isLongLived = true
        request.transfer = transfer
        stream = target.events(request, on: loop)
        var state = State(series: keepsSeries ? StreamSeries() : nil)
        state.held.reserveCapacity(plan.streams)
        self.state = .sending(state, on: loop)
        start = loop.now
        over.enter()
        loop.execute(begin)
    }

    /// Ends the run early. Can be called from any thread.
    @Sendable
    public func stop() {
        loop.execute(finish)
    }

    /// Waits for the end of the run, and returns its results.
    public func outcome() -> StreamLoadOutcome {
        over.wait()
        guard let outcome = result.withLock({ $0 }) else { preconditionFailure("The run ended without an outcome") }
        return outcome
    }

    /// The progress of the run in one line of at most `width` columns. Can be called from any thread.
    @Sendable
    public func progress(width: Int) -> String {
        let open = openNow.load(ordering: .relaxed)
        let failed = failedSoFar.load(ordering: .relaxed)
        return TextFormat.progress(
            Double(open) / Double(plan.streams),
            [
                "\(TextFormat.count(open)) of \(TextFormat.count(plan.streams)) streams open",
                "\(TextFormat.count(failed)) errors",
            ], in: width)
    }

    @Sendable
    private func begin() {
        state.value.timeouts = LoopScheduler(loop).schedulePeriodic((), startAfter: .seconds(1), period: .seconds(1)) {
            _ in
            self.cancelSlowStreams()
        }
        if state.value.series != nil { sampleRepeatedly() }
        openMore()
    }

    private func openMore() {
        while !state.value.isOver, state.value.begun < plan.streams, state.value.opening.count < plan.concurrency {
            state.value.begun += 1
            let stream = HeldStream(of: self, since: loop.now)
            state.value.opening.append(stream)
            stream.begin(self.stream)
        }
        guard state.value.hasJustOpenedAll(of: plan.streams) else { return }
        state.value.openSeconds = start.duration(to: loop.now) / .seconds(1)
        state.value.cpuWhenOpen = ProcessUsage().cpu
        // From now on only the samples wake the loop before the end.
        state.value.timeouts?.dispose()
        state.value.timeouts = nil
        guard openNow.load(ordering: .relaxed) > 0 else { return finish() }
        state.value.end = LoopScheduler(loop).scheduleRelative((), dueTime: plan.duration) {
            self.finish()
            return Disposables.create()
        }
    }

    private func cancelSlowStreams() {
        let now = loop.now
        for stream in state.value.opening where stream.since.duration(to: now) >= plan.timeout {
            stream.cancel()
            let limit = TextFormat.seconds(plan.timeout / .seconds(1))
            streamFailed(stream, LoadFailure(kind: "timeout", example: "no response came within \(limit)"))
        }
    }

    private func sampleRepeatedly() {
        recordSample()
        guard var distance = state.value.series?.distance else { return }
        // Holding streams costs little CPU time, and the samples must not cause most of it.
        if state.value.openSeconds != nil { distance = max(distance, plan.duration / 60) }
        state.value.nextSample = LoopScheduler(loop).scheduleRelative((), dueTime: distance) {
            self.sampleRepeatedly()
            return Disposables.create()
        }
    }

    private func recordSample() {
        let sample = StreamSeries.Sample(
            time: start.duration(to: loop.now) / .seconds(1), open: openNow.load(ordering: .relaxed),
            failed: state.value.failures.count, resident: ProcessUsage.resident)
        state.value.series?.record(sample)
    }

    func streamOpened(_ stream: HeldStream) {
        guard !state.value.isOver else { return }
        state.value.opening.removeAll { $0 === stream }
        state.value.held.append(stream)
        state.value.latency.record(stream.since.duration(to: loop.now).wholeNanoseconds)
        openNow.add(1, ordering: .relaxed)
        openMoreLater()
    }

    func streamFailed(_ stream: HeldStream, _ failure: LoadFailure) {
        guard !state.value.isOver else { return }
        state.value.failures.record(failure)
        failedSoFar.store(state.value.failures.count, ordering: .relaxed)
        if stream.isOpen { openNow.subtract(1, ordering: .relaxed) }
        state.value.opening.removeAll { $0 === stream }
        openMoreLater()
    }

    /// Opens more streams in a later turn, so that streams that fail at once do not grow the stack.
    private func openMoreLater() {
        if state.value.openSeconds == nil { loop.execute(openMore) }
    }

    @Sendable
    private func finish() {
        guard !state.value.isOver else { return }
        state.value.isOver = true
        // Measured before the streams are closed, because closing them is not part of the run.
        let cpuAtEnd = ProcessUsage().cpu
        let resident = ProcessUsage.resident
        let seconds = start.duration(to: loop.now) / .seconds(1)
        state.value.nextSample?.dispose()
        if state.value.series != nil { recordSample() }
        let last = state.value
        last.timeouts?.dispose()
        last.end?.dispose()
        state.value = State(isOver: true)
        for stream in last.opening + last.held { stream.cancel() }
        let opened = last.held.count
        let growth = Double(max(0, resident - usageBefore.resident)) * 1024
        let cpuWhenOpen = last.cpuWhenOpen ?? cpuAtEnd
        let outcome = StreamLoadOutcome(
            asked: plan.streams, open: opened, openSeconds: last.openSeconds ?? seconds,
            residentPerStream: opened == 0 ? nil : growth / Double(opened),
            openingCPU: cpuWhenOpen - usageBefore.cpu, holdingCPU: cpuAtEnd - cpuWhenOpen,
            peakResident: ProcessUsage.peakResident, failures: last.failures, latency: last.latency,
            seconds: seconds, residentBefore: usageBefore.resident, series: last.series)
        result.withLock { $0 = outcome }
        over.leave()
    }
}
