import Foundation
import Harness

/// `yes LINE | head -n COUNT | freshet run | wc -l`, as somebody has it at a shell, watched from outside.
struct Pipeline {
    struct Outcome {
        var seconds: Double
        var cpuMicroseconds: Double
        /// Of `freshet` at a tenth of the way, and the most it has ever had.
        var earlyKilobytes: Int
        var peakKilobytes: Int
        var rate: Double
    }

    let freshet: String
    let url: String
    let count: Int

    /// - Throws: if a line is missing or says that its request failed.
    func run() throws -> Outcome {
        let (lines, responses, number) = (Pipe(), Pipe(), Pipe())
        let start = ContinuousClock.now
        let source = try Child.start(
            ["sh", "-c", "yes \"$0\" | head -n \"$1\"", "{\"url\": \"\(url)\"}", "\(count)"], output: lines)
        let process = try Child.start(
            [freshet, "run", "--concurrency", "64"], output: responses, input: lines)
        let counter = try Child.start(["wc", "-l"], output: number, input: responses)
        let watch = Watch(process.processIdentifier)
        let counted = String(decoding: number.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let samples = watch.end()
        for child in [source, process, counter] { child.waitUntilExit() }
        guard Int(counted.trimmingCharacters(in: .whitespacesAndNewlines)) == count, process.terminationStatus == 0
        else {
            throw Child.Failed(
                "freshet run: \(counted) lines of \(count), status \(process.terminationStatus)")
        }
        return Outcome(
            seconds: seconds, cpuMicroseconds: (samples.last?.seconds ?? 0) / Double(count) * 1e6,
            earlyKilobytes: samples[samples.count / 10].kilobytes,
            peakKilobytes: samples.map(\.kilobytes).max() ?? 0, rate: Double(count) / seconds)
    }
}

/// Looks at a process again and again, until it is told to end or the process has ended.
// Unchecked: the samples are the thread's until it has said that it is over.
private final class Watch: @unchecked Sendable {
    struct Sample {
        /// On the processor so far.
        var seconds: Double
        var kilobytes: Int
    }

    private var samples: [Sample] = []
    private let process: Int32
    private let isOver = DispatchSemaphore(value: 0)

    init(_ process: Int32) {
        self.process = process
        Thread.detachNewThread { [self] in
            while let sample = sample() {
                samples.append(sample)
                usleep(20_000)
            }
            isOver.signal()
        }
    }

    func end() -> [Sample] {
        isOver.wait()
        return samples.isEmpty ? [Sample(seconds: 0, kilobytes: 0)] : samples
    }

    /// - Returns: `nil` when it has ended, whoever waits for it.
    private func sample() -> Sample? {
        guard let line = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else { return nil }
        // The name, in brackets, may have spaces in it. What follows are the fields from the third one on.
        let fields = line[(line.lastIndex(of: ")") ?? line.startIndex)...].split(separator: " ").dropFirst()
        let words = Array(fields)
        guard words.count > 22, words[0] != "Z", let user = Double(words[11]), let system = Double(words[12]),
            let pages = Int(words[21])
        else { return nil }
        return Sample(
            seconds: (user + system) / Double(sysconf(Int32(_SC_CLK_TCK))),
            kilobytes: pages * sysconf(Int32(_SC_PAGESIZE)) / 1024)
    }
}
