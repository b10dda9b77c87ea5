import ArgumentParser
import Foundation
import Freshet

/// `freshet run`: reads one request per line of input, and writes one line of output per request.
struct Run: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Send the requests that come in as JSON lines.",
        discussion: """
            In: {"id": any, "method": "GET", "url": "...", "headers": {"Name": "value"}, "body": "text"}, or \
            "body_base64"; only url is needed, with its http:// or https://. Out, one line for each: {"id", "status", \
            "headers", "body" (or "body_base64"), "attempts", "refreshes", "duration_ms", "error": null or {"code", "message"}}. What did not \
            come is null; without a response "headers" is {}. With a cache there are "cache" ("hit", "revalidated", \
            "stale", "miss" or null) and "age" too. Input is read only as fast as output is taken; \
            a line has at most \(longestLine >> 20) MiB. Exit 1 if a line \
            has an error. At Ctrl-C each request under way gets a line with the code cancelled.
            """)

    /// The longest line in bytes. A line is kept in memory, so it has a limit.
    static let longestLine = 64 << 20

    @Option(
        name: [.customShort("c"), .long], help: ArgumentHelp("How many requests are under way at once.", valueName: "n")
    )
    var concurrency = 32

    @Flag(help: "Write the responses in the order of the requests.")
    var ordered = false

    @Option(help: ArgumentHelp("The largest body of a response, after decoding.", valueName: "bytes"))
    var maxBody = 64 << 20

    @OptionGroup(title: "Request options") var options: RequestOptions
    @OptionGroup(title: "Request options") var redirects: RedirectOptions
    @OptionGroup(title: "Request options") var network: NetworkOptions
    @OptionGroup(title: "Request options") var profile: ProfileOptions
    @OptionGroup(title: "Layers") var layers: LayerOptions

    func validate() throws {
        if concurrency < 1 { throw ValidationError("--concurrency is a number from 1 up") }
        if maxBody < 0 { throw ValidationError("--max-body is a number from 0 up") }
    }

    func run() throws {
        let client = try LiveClient(
            options, network, profile, concurrency: concurrency, whenStepUpIsRequired: .fail, layers: layers
        ) { configuration in
            configuration.client.maximumBodySize = maxBody
            redirects.apply(to: &configuration)
        }
        defer { client.shutdown() }
        let tally = RunTally()
        let progress = ProgressLine.inputIsTyped ? nil : ProgressLine(tally.text)
        defer { progress?.stop() }
        // Replayed, because a signal can come before the subscription.
        let stop = ReplaySubject<Void>.create(bufferSize: 1)
        let plan = RequestFlow.Plan(
            concurrency: concurrency, isOrdered: ordered, longestLine: Self.longestLine, tally: tally,
            hasCache: client.hasCache, missingCredential: client.missingCredential, stop: stop.asObservable())
        do {
            try finish(
                client.loop.standardInput.responses(from: client.http, on: client.loop, plan)
                    .output(to: STDOUT_FILENO, on: client.loop), stop: { stop.onNext(()) })
        } catch is OutputClosed {
            // The lines that were written, or could not be, decide the exit status.
        }
        if tally.hasErrors { throw ExitStatus(code: 1) }
    }
}
