import Foundation
import Freshet
import FreshetLoad
import Synchronization

/// Counts for the progress line and the exit status. Only one thread counts.
final class RunTally: Sendable {
    private let responses = Atomic<Int>(0)
    private let errors = Atomic<Int>(0)
    private let bytesRead = Atomic<Int>(0)
    private let linesRead = Atomic<Int>(0)
    /// The size of the input, if it is a file.
    private let bytesExpected = sizeOfFile(STDIN_FILENO)
    private let started = ContinuousClock.now

    var hasErrors: Bool { errors.load(ordering: .acquiring) > 0 }

    func read(_ line: InputLine) {
        bytesRead.store(bytesRead.load(ordering: .relaxed) + (line.bytes?.count ?? 0) + 1, ordering: .relaxed)
        linesRead.store(linesRead.load(ordering: .relaxed) + 1, ordering: .relaxed)
    }

    func count(_ response: ResponseLine) {
        responses.store(responses.load(ordering: .relaxed) + 1, ordering: .relaxed)
        if response.error != nil { errors.add(1, ordering: .releasing) }
    }

    @Sendable
    func text(width: Int) -> String {
        let responses = responses.load(ordering: .relaxed)
        let rate = Double(responses) / ((ContinuousClock.now - started) / .seconds(1))
        // What was read counts as far as it has its response.
        let share = Double(responses) / Double(max(1, linesRead.load(ordering: .relaxed)))
        let done = Double(bytesRead.load(ordering: .relaxed)) * min(1, share)
        let facts = [
            TextFormat.count(responses, "response"), TextFormat.count(errors.load(ordering: .relaxed), "error"),
            "\(TextFormat.count(Int(rate))) per second",
        ]
        return TextFormat.progress(bytesExpected.map { done / Double(max(1, $0)) }, facts, in: width)
    }
}
