import Dispatch
public import Freshet
import Synchronization

/// A load run that opens many streams, a few at a time, and holds them.
public final class StreamLoadRun: Sendable {
    private struct State {
        /// All streams that were begun, the oldest first.
        var streams: [HeldStream] = []
        /// How many of them are being opened.
        var opening = 0
        /// The index of the first that may be among these.
        var oldest = 0
        var opened = 0
        var openSeconds: Double?
        var cpuWhenOpen: Double?
        var failures = LoadFailures()
        var latency = LatencyHistogram()
        var series: StreamSeries?
        var nextSample: (any Disposable)?
        var deadline: (any Disposable)?
        var end: (any Disposable)?
        var loopEnd: LoopEnd?
        var isOver = false

        /// Whether no stream is being opened any more, and this has not been recorded yet.
        func hasJustOpenedAll(of count: Int) -> Bool {
            !isOver && openSeconds == nil && streams.count == count && opening == 0
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
        state.streams.reserveCapacity(plan.streams)
        self.state = .sending(state, on: loop)
        start = loop.now
        over.enter()
        if !loop.execute(begin) {
            var state = State()
            state.failures.record(.loopHasEnded)
            end(with: outcome(of: state))
        }
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
            Double(open) / Double(max(1, plan.streams)),
            [
                "\(TextFormat.count(open)) of \(TextFormat.count(plan.streams)) streams open",
                "\(TextFormat.count(failed)) errors",
            ], in: width)
    }

    @Sendable
    private func begin() {
        state.value.loopEnd = LoopEnd(of: loop) {
            self.state.value.failures.record(.loopHasEnded)
            self.finish()
        }
        if state.value.series != nil { sampleRepeatedly() }
        openMore()
    }

    private func openMore() {
        while !state.value.isOver, state.value.streams.count < plan.streams, state.value.opening < plan.concurrency {
            let stream = HeldStream(of: self, since: loop.now)
            state.value.streams.append(stream)
            state.value.opening += 1
            stream.begin(self.stream)
        }
        if state.value.deadline == nil { awaitDeadline() }
        guard state.value.hasJustOpenedAll(of: plan.streams) else { return }
        state.value.openSeconds = start.duration(to: loop.now) / .seconds(1)
        state.value.cpuWhenOpen = ProcessUsage().cpu
        // From now on only the samples wake the loop before the end.
        state.value.deadline?.dispose()
        state.value.deadline = nil
        guard openNow.load(ordering: .relaxed) > 0 else { return finish() }
        state.value.end = LoopScheduler(loop).scheduleRelative((), dueTime: plan.duration) {
            self.finish()
            return Disposables.create()
        }
    }

    /// Cancels the streams whose time to open is over, and waits for the deadline of the oldest of the others.
    private func awaitDeadline() {
        state.value.deadline = nil
        while state.value.oldest < state.value.streams.count {
            let stream = state.value.streams[state.value.oldest]
            if stream.isOpening {
                let left = plan.timeout - stream.since.duration(to: loop.now)
                guard left <= .zero else { return awaitDeadline(after: left) }
                stream.cancel()
                let limit = TextFormat.seconds(plan.timeout / .seconds(1))
                streamFailed(stream, LoadFailure(kind: "timeout", example: "no response came within \(limit)"))
            }
            state.value.oldest += 1
        }
    }

    private func awaitDeadline(after time: Duration) {
        state.value.deadline = LoopScheduler(loop).scheduleRelative((), dueTime: time) {
            self.awaitDeadline()
            return Disposables.create()
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
        state.value.opening -= 1
        state.value.opened += 1
        state.value.latency.record(stream.since.duration(to: loop.now).wholeNanoseconds)
        openNow.add(1, ordering: .relaxed)
        openMoreLater()
    }

    func streamFailed(_ stream: HeldStream, _ failure: LoadFailure) {
        guard !state.value.isOver else { return }
        state.value.failures.record(failure)
        failedSoFar.store(state.value.failures.count, ordering: .relaxed)
        if stream.isOpen { openNow.subtract(1, ordering: .relaxed) } else { state.value.opening -= 1 }
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
        state.value.nextSample?.dispose()
        if state.value.series != nil { recordSample() }
        let last = state.value
        state.value = State(isOver: true)
        last.deadline?.dispose()
        last.end?.dispose()
        last.loopEnd?.close()
        let outcome = outcome(of: last)
        for stream in last.streams { stream.cancel() }
        end(with: outcome)
    }

    private func end(with outcome: StreamLoadOutcome) {
        result.withLock { $0 = outcome }
        over.leave()
    }

    /// Measures the outcome, before the streams are closed, because closing them is not part of the run.
    private func outcome(of last: State) -> StreamLoadOutcome {
        let cpuAtEnd = ProcessUsage().cpu
        let seconds = start.duration(to: loop.now) / .seconds(1)
        let openAtEnd = openNow.load(ordering: .relaxed)
        let growth = Double(max(0, ProcessUsage.resident - usageBefore.resident)) * 1024
        let cpuWhenOpen = last.cpuWhenOpen ?? cpuAtEnd
        return StreamLoadOutcome(
            asked: plan.streams, open: last.opened, openAtEnd: openAtEnd, openSeconds: last.openSeconds ?? seconds,
            residentPerStream: openAtEnd == 0 ? nil : growth / Double(openAtEnd),
            openingCPU: cpuWhenOpen - usageBefore.cpu, holdingCPU: cpuAtEnd - cpuWhenOpen,
            peakResident: ProcessUsage.peakResident, failures: last.failures, latency: last.latency,
            seconds: seconds, residentBefore: usageBefore.resident, series: last.series)
    }
}
