import Dispatch
import Freshet
import Synchronization

/// Load on one or more loops, from its begin to its end.
final class LoadRun: Sendable {
    let plan: LoadPlan
    private let lanes: [LoopBound<LoadLane>]
    private let watched: [LoadLane.Watched]
    private let results: Locked<[LoadLane.Result]>
    private let over = DispatchGroup()
    private let start: Instant
    private let cpuBefore: Double

    /// Begins at once.
    init(_ plan: LoadPlan, sending request: Request, by client: HTTPClient, on loops: [Loop], keepsSeries: Bool) {
        self.plan = plan
        let over = over
        let results = Locked<[LoadLane.Result]>([])
        let watched = loops.map { _ in LoadLane.Watched() }
        lanes = loops.enumerated().map { index, loop in
            over.enter()
            let lane = LoadLane(
                on: loop, plan: plan.share(index, of: loops.count), offset: Double(index) / Double(loops.count),
                sending: request, by: client, keepsSeries: keepsSeries, watched: watched[index]
            ) { result in
                results.withLock { $0.append(result) }
                over.leave()
            }
            return .sending(lane, on: loop)
        }
        self.results = results
        self.watched = watched
        cpuBefore = ProcessUsage().cpu
        start = loops[0].now
        for lane in lanes { lane.loop.execute { [start] in lane.value.begin(at: start) } }
    }

    /// Ends it early; can be called from any thread.
    func stop() {
        for lane in lanes { lane.loop.execute { lane.value.stop() } }
    }

    /// Waits for the end.
    func outcome() -> LoadOutcome {
        over.wait()
        let cpu = ProcessUsage().cpu - cpuBefore
        let results = results.withLock { $0 }
        var tally = results[0].tally
        for result in results.dropFirst() { tally.merge(result.tally) }
        let end = results.map(\.end).max() ?? start
        return LoadOutcome(
            tally: tally, seconds: max(1e-6, start.duration(to: end) / .seconds(1)), cpu: cpu,
            peakResident: ProcessUsage.peakResident, unfinished: results.map(\.unfinished).reduce(0, +))
    }

    /// How far it is, for who looks at it meanwhile.
    var progress: LoadProgress {
        func sum(_ count: (LoadLane.Watched) -> Int) -> Int { watched.map(count).reduce(0, +) }
        return LoadProgress(
            ended: sum { $0.ended.load(ordering: .relaxed) }, failed: sum { $0.failed.load(ordering: .relaxed) },
            running: sum { $0.running.load(ordering: .relaxed) }, time: start.duration(to: lanes[0].loop.now))
    }
}

/// What load came to.
struct LoadOutcome: Sendable {
    var tally: LoadTally
    /// From the first request to the last answer.
    var seconds: Double
    /// Seconds of CPU time of the whole process.
    var cpu: Double
    /// In kB, of the whole process.
    var peakResident: Int
    /// Requests that were let go of at the end, and are not counted.
    var unfinished = 0

    var requestsPerSecond: Double { Double(tally.requests) / seconds }
    /// Microseconds of CPU time; `nil` without a request.
    var cpuPerRequest: Double? { tally.requests == 0 ? nil : cpu * 1e6 / Double(tally.requests) }

    /// In microseconds; `nil` without an answer.
    func latency(_ percentile: Double) -> Double? {
        tally.latency.percentile(percentile).map { $0 / 1000 }
    }
}

struct LoadProgress: Sendable {
    var ended = 0
    var failed = 0
    var running = 0
    var time = Duration.zero
}
