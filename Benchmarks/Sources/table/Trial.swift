import CAllocations
import Glibc
import Workload

/// A shape, its contenders, and the nanoseconds for an element that each of them took, slice by slice.
struct Trial {
    let shape: Shape
    private let work: Workload
    private let runners: [(contender: Contender, run: Run, count: Int)]
    private var slices: [Contender: [Double]] = [:]

    /// Finds out how many elements fill a slice.
    init(_ shape: Shape, slice: Duration, work: Workload, rxSwift: RxSwiftLibrary?) {
        self.shape = shape
        self.work = work
        runners = Contender.allCases.compactMap { contender in
            contender.run(shape, rxSwift).map { run in
                (contender, run, Self.count(filling: slice) { count in Self.time(of: shape) { run(count, work) } })
            }
        }
    }

    private static func count(filling slice: Duration, _ time: (_ count: Int) -> Duration) -> Int {
        // What every shape can divide by: the observers, the sources, the length of an inner range.
        let step = 200
        var count = step
        while true {
            let elapsed = time(count)
            if elapsed * 2 >= slice { return max(1, Int(Double(count) * (slice / elapsed)) / step) * step }
            count *= 2
        }
    }

    /// The thread's time on the processor where one thread does it all, so that being interrupted does not count; else
    /// the time that has passed.
    private static func time(of shape: Shape, _ body: () -> Void) -> Duration {
        if shape.hasThreads { return ContinuousClock().measure(body) }
        let start = processorTime()
        body()
        return processorTime() - start
    }

    private static func processorTime() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// A slice of each contender, one after the other.
    mutating func runRound() {
        for (contender, run, count) in runners {
            let elapsed = Self.time(of: shape) { run(count, work) }
            slices[contender, default: []].append(elapsed / .nanoseconds(1) / Double(count))
        }
    }

    /// The fastest slice; where threads meet, the one that a quarter of them undercut, for the fastest is the one in
    /// which they missed each other.
    func nanoseconds(_ contender: Contender) -> Double? {
        guard let sorted = slices[contender]?.sorted() else { return nil }
        return shape.hasThreads ? sorted[sorted.count / 4] : sorted[0]
    }

    func ratio(_ dividend: Contender, _ divisor: Contender) -> Double? {
        guard let dividend = nanoseconds(dividend), let divisor = nanoseconds(divisor) else { return nil }
        return dividend / divisor
    }

    /// How much longer than the fastest the slices in the middle took.
    var noise: Double {
        let ratios = slices.values.map { $0.sorted()[$0.count / 2] / $0.min()! }
        return ratios.reduce(0, +) / Double(ratios.count)
    }

    /// Whether the contenders do not come to the same sum.
    func differs() -> Bool {
        let sums = runners.map { _, run, _ in
            work.reset()
            run(4000, work)
            return work.sum
        }
        return Set(sums).count > 1
    }

    /// How often Freshet asks for memory for one element more, so that what is set up once does not count; the median
    /// of some, for where threads meet it is not always the same.
    func allocations() -> Double? {
        guard let run = Contender.freshet.run(shape, nil) else { return nil }
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

extension Shape {
    fileprivate var hasThreads: Bool { self == .observeOn || self == .values }
}
