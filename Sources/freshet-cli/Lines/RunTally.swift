import Foundation
import Freshet
import FreshetLoad
import Synchronization

/// Counts for the progress line and the exit status. Only one thread counts.
final class RunTally: Sendable {
    private let answers = Atomic<Int>(0)
    private let errors = Atomic<Int>(0)
    private let bytesRead = Atomic<Int>(0)
    /// The size of the input, if it is a file.
    private let bytesExpected = sizeOfFile(STDIN_FILENO)
    private let started = ContinuousClock.now

    var hasErrors: Bool { errors.load(ordering: .acquiring) > 0 }

    func read(_ line: InputLine) {
        bytesRead.store(bytesRead.load(ordering: .relaxed) + (line.bytes?.count ?? 0) + 1, ordering: .relaxed)
    }

    func count(_ answer: ResponseLine) {
        answers.store(answers.load(ordering: .relaxed) + 1, ordering: .relaxed)
        if answer.error != nil { errors.add(1, ordering: .releasing) }
    }

    @Sendable
    func text(width: Int) -> String {
        let answers = answers.load(ordering: .relaxed)
        let rate = Double(answers) / ((ContinuousClock.now - started) / .seconds(1))
        let read = Double(bytesRead.load(ordering: .relaxed))
        let facts = [
            "\(TextFormat.count(answers)) responses", "\(TextFormat.count(errors.load(ordering: .relaxed))) errors",
            "\(TextFormat.count(Int(rate))) per second",
        ]
        return TextFormat.progress(bytesExpected.map { read / Double(max(1, $0)) }, facts, in: width)
    }
}
