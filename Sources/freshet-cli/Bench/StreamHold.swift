import Dispatch
import Freshet
import Synchronization

/// Opens many streams, a few at a time, and holds them.
// Unchecked: all but the atomics is the loop's.
final class StreamHold: @unchecked Sendable {
    struct Plan: Sendable {
        var streams: Int
        /// How many are being opened at once.
        var concurrency: Int
        /// From the moment that the last one is open.
        var duration: Duration
        /// For the head of each.
        var timeout: Duration
    }

    private let plan: Plan
    private var series: StreamSeries?
    private var nextSample: (any Disposable)?
    private let loop: Loop
    private let stream: Observable<RequestEvent>
    private let over = DispatchGroup()
    private let usageBefore = (cpu: ProcessUsage().cpu, resident: ProcessUsage.resident)
    private let start: Instant

    private let openNow = Atomic<Int>(0)
    private let failedSoFar = Atomic<Int>(0)
    private var opening: [HeldStream] = []
    private var held: [HeldStream] = []
    private var begun = 0
    private var opened = 0
    private var openSeconds: Double?
    private var cpuWhenOpen: Double?
    private var kinds = LoadTally()
    private var resident = 0
    private var cpuAtEnd = 0.0
    private var seconds = 0.0
    private var sweep: (any Disposable)?
    private var end: (any Disposable)?
    private var isOver = false

    /// Begins at once.
    ///
    /// - Parameter keepsSeries: takes samples from time to time, also while the streams are silent.
    init(_ plan: Plan, sending request: Request, by client: HTTPClient, on loop: Loop, keepsSeries: Bool) {
        self.plan = plan
        series = keepsSeries ? StreamSeries() : nil
        self.loop = loop
        var request = request
        var transfer = request.transfer ?? client.configuration.transfer
        transfer.isLongLived = true
        request.transfer = transfer
        stream = client.events(request)
        held.reserveCapacity(plan.streams)
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
        let cpuWhenOpen = cpuWhenOpen ?? cpuAtEnd
        return StreamsOutcome(
            asked: plan.streams, open: opened,
            openSeconds: openSeconds ?? start.duration(to: loop.now) / .seconds(1),
            residentPerStream: opened == 0
                ? nil : Double(max(0, resident - usageBefore.resident)) * 1024 / Double(opened),
            openingCPU: cpuWhenOpen - usageBefore.cpu, holdingCPU: cpuAtEnd - cpuWhenOpen,
            peakResident: ProcessUsage.peakResident,
            failuresByCount: kinds.failuresByCount, failures: kinds.failures, latency: kinds.latency,
            seconds: seconds, residentBefore: usageBefore.resident, series: series)
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
        sweep = LoopScheduler(loop).schedulePeriodic((), startAfter: .seconds(1), period: .seconds(1)) { _ in
            self.giveUpOnTheSlow()
        }
        if series != nil { sample() }
        openMore()
    }

    private func openMore() {
        while !isOver, begun < plan.streams, opening.count < plan.concurrency {
            begun += 1
            let stream = HeldStream(of: self, since: loop.now)
            opening.append(stream)
            stream.begin(self.stream)
        }
        guard !isOver, openSeconds == nil, begun == plan.streams, opening.isEmpty else { return }
        openSeconds = start.duration(to: loop.now) / .seconds(1)
        cpuWhenOpen = ProcessUsage().cpu
        // From here on nothing of ours wakes the loop before the end.
        sweep?.dispose()
        sweep = nil
        guard openNow.load(ordering: .relaxed) > 0 else { return finish() }
        end = LoopScheduler(loop).scheduleRelative((), dueTime: plan.duration) {
            self.finish()
            return Disposables.create()
        }
    }

    private func giveUpOnTheSlow() {
        let now = loop.now
        for stream in opening where stream.since.duration(to: now) >= plan.timeout {
            stream.cancel()
            failed(stream, "timeout", "no answer came within \(Quantity.seconds(plan.timeout / .seconds(1)))")
        }
    }

    /// Takes a sample, and looks forward to the next one.
    private func sample() {
        takeSample()
        guard var distance = series?.distance else { return }
        // To hold them is to cost next to nothing, and looking is not for nothing.
        if openSeconds != nil { distance = max(distance, plan.duration / 60) }
        nextSample = LoopScheduler(loop).scheduleRelative((), dueTime: distance) {
            self.sample()
            return Disposables.create()
        }
    }

    private func takeSample() {
        series?.record(
            StreamSeries.Sample(
                time: start.duration(to: loop.now) / .seconds(1), open: openNow.load(ordering: .relaxed),
                failed: kinds.failures, resident: ProcessUsage.resident))
    }

    // MARK: What the streams say

    fileprivate func isOpen(_ stream: HeldStream) {
        guard !isOver else { return }
        opening.removeAll { $0 === stream }
        held.append(stream)
        opened += 1
        let latency = stream.since.duration(to: loop.now).components
        kinds.latency.record(latency.seconds * 1_000_000_000 + latency.attoseconds / 1_000_000_000)
        openNow.add(1, ordering: .relaxed)
        openLater()
    }

    fileprivate func failed(_ stream: HeldStream, _ kind: String, _ example: String) {
        guard !isOver else { return }
        kinds.fail(kind, example)
        failedSoFar.store(kinds.failures, ordering: .relaxed)
        if stream.isOpen { openNow.subtract(1, ordering: .relaxed) }
        opening.removeAll { $0 === stream }
        openLater()
    }

    /// In a later turn, so that failures at once are not on top of each other.
    private func openLater() {
        if openSeconds == nil { loop.execute(openMore) }
    }

    // MARK: The end

    @Sendable
    private func finish() {
        guard !isOver else { return }
        isOver = true
        // Before they are closed, which is no part of it.
        cpuAtEnd = ProcessUsage().cpu
        resident = ProcessUsage.resident
        seconds = start.duration(to: loop.now) / .seconds(1)
        nextSample?.dispose()
        if series != nil { takeSample() }
        sweep?.dispose()
        end?.dispose()
        for stream in opening + held { stream.cancel() }
        opening = []
        held = []
        over.leave()
    }
}

/// One stream: as little as can be, for there are many.
// Unchecked: it is its loop's.
private final class HeldStream: ObserverType, @unchecked Sendable {
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
