import CAllocations
import Workload

/// What one run of the table found out about a shape: nanoseconds for an element.
struct Measurement {
    let shape: Shape
    var nanoseconds: [Contender: Double] = [:]
    var allocations: Double?
    /// Whether the contenders did not come to the same sum.
    var differs = false

    func ratio(_ dividend: Contender, _ divisor: Contender) -> Double? {
        guard let dividend = nanoseconds[dividend], let divisor = nanoseconds[divisor] else { return nil }
        return dividend / divisor
    }
}

/// Measures a shape: the contenders take turns in short slices, and the fastest slice of each counts, for whatever else
/// the machine does only ever adds to a slice.
struct Stopwatch {
    let rounds: Int
    let slice: Duration
    private let work = Workload()
    private let clock = ContinuousClock()

    init(rounds: Int, slice: Duration) {
        self.rounds = rounds
        self.slice = slice
    }

    func measure(_ shape: Shape) -> Measurement {
        var result = Measurement(shape: shape)
        let contenders = Contender.allCases.compactMap { contender in
            contender.runs[shape].map { (contender, run: $0) }
        }
        let sums = contenders.map { sum(of: $0.run) }
        result.differs = Set(sums).count > 1
        let counts = contenders.map { count(for: $0.run) }
        for _ in 0..<rounds {
            for ((contender, run), count) in zip(contenders, counts) {
                let time = nanoseconds(run, count)
                result.nanoseconds[contender] = min(time, result.nanoseconds[contender] ?? .infinity)
            }
        }
        result.allocations = contenders.first { $0.0 == .freshet }.flatMap { allocations($0.run) }
        return result
    }

    private func sum(of run: Run) -> Int {
        work.reset()
        run(4000, work)
        return work.sum
    }

    /// How many elements fill a slice.
    private func count(for run: Run) -> Int {
        var count = 800
        while true {
            let elapsed = clock.measure { run(count, work) }
            if elapsed * 2 >= slice { return max(800, Int(Double(count) * (slice / elapsed))) / 800 * 800 }
            count *= 2
        }
    }

    private func nanoseconds(_ run: Run, _ count: Int) -> Double {
        clock.measure { run(count, work) } / .nanoseconds(1) / Double(count)
    }

    /// The difference that more elements make, so that what is set up once does not count; the median of some, for
    /// where threads meet it is not always the same.
    private func allocations(_ run: Run) -> Double? {
        let differences = (0..<5).compactMap { _ -> Double? in
            guard let few = allocations(run, 800), let many = allocations(run, 4000) else { return nil }
            return Double(many - few) / 3200
        }
        return differences.isEmpty ? nil : differences.sorted()[differences.count / 2]
    }

    private func allocations(_ run: Run, _ count: Int) -> Int? {
        allocations_start()
        run(count, work)
        let result = allocations_stop()
        return result < 0 ? nil : result
    }
}
