import Freshet
import Glibc

/// What is compared: each takes a sample's pieces and says how many it found of what it looks for.
enum Runs {
    static func parse(_ sample: Sample) -> Int {
        var parser = ServerSentEventParser()
        var count = 0
        for piece in sample.pieces {
            // The samples are within the limits.
            try! parser.parse(piece) { _ in count += 1 }
        }
        return count
    }

    /// The ends of lines, and nothing is made of what is between them.
    static func split(_ sample: Sample) -> Int {
        var count = 0
        for piece in sample.pieces {
            piece.withUnsafeBytes { bytes in
                guard var next = bytes.baseAddress else { return }
                let end = next + bytes.count
                while next < end, let found = memchr(next, 10, end - next) {
                    next = UnsafeRawPointer(found) + 1
                    count += 1
                }
            }
        }
        return count
    }

    /// The same, with a text made of each line that is not blank: what no parser can do without.
    static func splitIntoTexts(_ sample: Sample) -> Int {
        var count = 0
        for piece in sample.pieces {
            piece.withUnsafeBytes { bytes in
                guard var next = bytes.baseAddress else { return }
                let end = next + bytes.count
                while next < end, let found = memchr(next, 10, end - next) {
                    let line = UnsafeRawBufferPointer(start: next, count: UnsafeRawPointer(found) - next)
                    if !line.isEmpty { count += String(decoding: line, as: UTF8.self).isEmpty ? 0 : 1 }
                    next = UnsafeRawPointer(found) + 1
                }
            }
        }
        return count
    }

    /// The least of some runs, of this thread's time on the processor, in nanoseconds.
    static func time(rounds: Int, _ sample: Sample, _ runs: [(Sample) -> Int]) -> [Double] {
        var least = [Double](repeating: .infinity, count: runs.count)
        var sum = 0
        for _ in 0..<rounds {
            for (index, run) in runs.enumerated() {
                let start = now()
                sum &+= run(sample)
                least[index] = min(least[index], now() - start)
            }
        }
        precondition(sum > 0)
        return least
    }

    static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
}
