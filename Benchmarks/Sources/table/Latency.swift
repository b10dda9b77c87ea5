import Dispatch
import FreshetShapes
import Glibc
import Limit
import OpenCombineShapes
import Workload

/// How long one element takes from a thread to another that has nothing else to do. The contenders take turns.
struct Latency {
    private static let percentiles = [50, 90, 99]
    private static let hops: [(name: String, make: MakeHop)] = [
        ("by hand", handHop), ("the bare loop", loopHop), ("Freshet", freshetHop), ("OpenCombine", openCombineHop),
    ]

    private var samples: [String: [Duration]] = [:]

    init(rounds: Int) {
        for _ in 0..<rounds {
            for (name, make) in Self.hops { samples[name, default: []] += Self.samples(of: make, count: 50) }
        }
    }

    private static func samples(of makeHop: MakeHop, count: Int) -> [Duration] {
        let arrival = Arrival()
        let hop = makeHop { _ in
            arrival.time = .now
            arrival.semaphore.signal()
        }
        defer { hop.end() }
        return (0..<count).map { element in
            // Long enough for the other thread to go to sleep.
            usleep(100)
            let start = ContinuousClock.now
            hop.send(element)
            arrival.semaphore.wait()
            return arrival.time - start
        }
    }

    func print() {
        Swift.print("an element to a sleeping thread, µs:")
        for (name, _) in Self.hops {
            let sorted = samples[name]!.sorted()
            let figures = Self.percentiles.map { percentile in
                let microseconds = sorted[(sorted.count - 1) * percentile / 100] / .microseconds(1)
                return "\(Double(Int(microseconds * 10)) / 10) (\(percentile) %)"
            }
            Swift.print("  \(name): \(figures.joined(separator: ", "))")
        }
    }
}

/// Unchecked: the semaphore orders the accesses.
private final class Arrival: @unchecked Sendable {
    let semaphore = DispatchSemaphore(value: 0)
    var time = ContinuousClock.now
}
