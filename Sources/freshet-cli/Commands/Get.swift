import ArgumentParser
import Foundation
import Freshet

/// `freshet get`: one request.
struct Get: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Send one request.",
        discussion: "The body of the answer goes to standard output, byte for byte.")

    @OptionGroup var message: MessageOptions

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Write to a file, which appears when it is complete.", valueName: "file"))
    var output: String?

    @Flag(name: .shortAndLong, help: "Write the head of the answer first.")
    var include = false

    @Flag(name: .shortAndLong, help: "Show what happens to the request on standard error, without secrets.")
    var verbose = false

    @OptionGroup(title: "Request options") var options: RequestOptions

    func validate() throws {
        if output == "" { throw ValidationError("--output names no file") }
    }

    func run() throws {
        let request = try message.request()
        let client = try LiveClient(options)
        defer { client.shutdown() }
        let output = try OutputFile(output)
        let trace = verbose ? Trace() : nil
        let refreshes = trace.flatMap { trace in client.gate?.refreshes.subscribe(onNext: trace.show) }
        let transfer = Download(includesHead: include, trace: trace)
        let progress = output.isFile ? ProgressLine(transfer.progress) : nil
        defer {
            refreshes?.dispose()
            progress?.stop()
            output.discard()
        }
        try finish(
            client.http.events(request)
                .map(transfer.take)
                .written(to: output.descriptor, cost: \.count, finish: output.keep) { $0 })
        if transfer.status >= 400 { throw ExitStatus(code: 22) }
    }
}
