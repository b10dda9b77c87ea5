import Dispatch
public import Freshet
import Synchronization

/// A load run on one or more loops.
public final class LoadRun: Sendable {
    private let workers: [LoopBound<LoadWorker>]
    private let counters: [LoadWorker.Counters]
    private let results: Locked<[LoadWorker.Result]>
    private let over = DispatchGroup()
    private let start: Instant
    private let cpuBefore: Double
    private let line: LoadProgressLine

    /// Creates a run, which begins at once.
    ///
    /// - Parameters:
    ///   - loops: the loops, each of which sends its part of the load; not empty. A closed loop of fewer requests at a time
    ///     uses as many of them.
    ///   - keepsSeries: whether the outcome has the counts over time that a report draws.
    public init(_ plan: LoadPlan, at target: LoadTarget, on loops: [Loop], keepsSeries: Bool) {
        let loops = Array(loops.prefix(plan.loops(of: loops.count)))
        let over = over
        let results = Locked<[LoadWorker.Result]>([])
        let counters = loops.map { _ in LoadWorker.Counters() }
        workers = loops.enumerated().map { index, loop in
            over.enter()
            let worker = LoadWorker(
                on: loop, plan: plan.share(index, of: loops.count), offset: Double(index) / Double(loops.count),
                target: target, keepsSeries: keepsSeries, counters: counters[index]
            ) { result in
                results.withLock { $0.append(result) }
                over.leave()
            }
            return .sending(worker, on: loop)
        }
        self.results = results
        self.counters = counters
        line = LoadProgressLine(plan)
        cpuBefore = ProcessUsage().cpu
        start = loops[0].now
        for worker in workers {
            let isRunning = worker.loop.execute { [start] in worker.value.begin(at: start) }
            if isRunning { continue }
            var tally = LoadTally()
            tally.failures.record(.loopHasEnded)
            results.withLock { $0.append(LoadWorker.Result(tally: tally, end: start)) }
            over.leave()
        }
    }

    /// Ends the run early. Can be called from any thread.
    @Sendable
    public func stop() {
        for worker in workers { worker.loop.execute { worker.value.stop() } }
    }

    /// The progress of the run in one line of at most `width` columns. Can be called from any thread.
    @Sendable
    public func progress(width: Int) -> String {
        func sum(_ counter: (LoadWorker.Counters) -> Int) -> Int { counters.map(counter).reduce(0, +) }
        return line.text(
            LoadProgress(
                ended: sum { $0.ended.load(ordering: .relaxed) }, failed: sum { $0.failed.load(ordering: .relaxed) },
                running: sum { $0.running.load(ordering: .relaxed) },
                time: start.duration(to: workers[0].loop.now)), width: width)
    }

    /// Waits for the end of the run, and returns its results.
    public func outcome() -> LoadOutcome {
        over.wait()
        let cpu = ProcessUsage().cpu - cpuBefore
        let results = results.withLock { $0 }
        var tally = results[0].tally
        for result in results.dropFirst() { tally.merge(result.tally) }
        let end = results.map(\.end).max() ?? start
        return LoadOutcome(
            tally: tally, seconds: max(1e-6, start.duration(to: end) / .seconds(1)), cpu: cpu,
            peakResident: ProcessUsage.peakResident, unfinished: results.map(\.unfinished).reduce(0, +),
            unsent: results.map(\.unsent).reduce(0, +))
    }
}
