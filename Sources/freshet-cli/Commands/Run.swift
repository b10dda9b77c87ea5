import ArgumentParser
import Foundation
import Freshet
import Synchronization

/// `freshet run`: requests in, answers out, a line each.
struct Run: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Send the requests that come in as JSON lines.",
        discussion: """
            In: {"id": any, "method": "GET", "url": "…", "headers": {"Name": "value"}, "body": "text"}, or \
            "body_base64"; only url is needed. Out, one line for each: {"id", "status", "headers", "body" (or \
            "body_base64"), "attempts", "refreshes", "duration_ms", "error": null or {"code", "message"}}. What did not \
            come is null. Input is read only as fast as output is taken. Exit 1 if a line has an error.
            """)

    /// A line is a request in memory, so it has a limit.
    private static let longestLine = 64 << 20

    @Option(help: ArgumentHelp("How many requests are under way at once.", valueName: "n"))
    var concurrency = 32

    @Flag(help: "Write the answers in the order of the requests.")
    var ordered = false

    @Option(help: ArgumentHelp("The largest body of an answer, after decoding.", valueName: "bytes"))
    var maxBody = 64 << 20

    /// For measurements: what the lines cost, whatever the network does.
    @Flag(help: .hidden)
    var stub = false

    @OptionGroup(title: "Request options") var options: RequestOptions

    func validate() throws {
        if concurrency < 1 { throw ValidationError("--concurrency is a number from 1 up") }
        if maxBody < 0 { throw ValidationError("--max-body is a number from 0 up") }
    }

    func run() throws {
        let client = try LiveClient(options, maximumBodySize: maxBody, concurrency: concurrency)
        defer { client.shutdown() }
        let http = stub ? client.http.withoutNetwork : client.http
        let tally = RunTally()
        let progress = ProgressLine(tally.text)
        defer { progress.stop() }
        let exchanges = client.loop.standardInput.lines(longest: Self.longestLine)
            .map { line in
                tally.read(line)
                return Exchange.answer(to: RequestLine(line), by: http)
            }
        let answers =
            ordered
            ? exchanges.concatMapEager(maxConcurrent: concurrency) { $0 } : exchanges.merge(maxConcurrent: concurrency)
        try finish(
            answers
                .map { answer in
                    tally.count(answer)
                    return answer.encoded(after: ProgressLine.wipe)
                }
                .output(to: STDOUT_FILENO, on: client.loop))
        if tally.hasErrors { throw ExitStatus(code: 1) }
    }
}

/// What the progress line and the exit status say.
private final class RunTally: Sendable {
    private let answers = Atomic<Int>(0)
    private let errors = Atomic<Int>(0)
    private let bytesRead = Atomic<Int>(0)
    /// The size of the input, if it is a file.
    private let bytesExpected = sizeOfFile(STDIN_FILENO)
    private let started = ContinuousClock.now

    var hasErrors: Bool { errors.load(ordering: .acquiring) > 0 }

    func read(_ line: InputLine) {
        bytesRead.add((line.bytes?.count ?? 0) + 1, ordering: .relaxed)
    }

    func count(_ answer: AnswerLine) {
        answers.add(1, ordering: .relaxed)
        if answer.error != nil { errors.add(1, ordering: .releasing) }
    }

    @Sendable
    func text() -> String {
        let answers = answers.load(ordering: .relaxed)
        let rate = Double(answers) / ((ContinuousClock.now - started) / .seconds(1))
        let read = Double(bytesRead.load(ordering: .relaxed))
        return (bytesExpected.map { bar(read / Double(max(1, $0))) + " " } ?? "")
            + "\(grouped(answers)) answers, \(grouped(errors.load(ordering: .relaxed))) errors, \(Int(rate)) a second"
    }
}
