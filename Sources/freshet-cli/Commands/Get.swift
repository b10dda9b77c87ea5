import ArgumentParser
import Foundation
import Freshet

/// `freshet get`: sends one request, and writes the body of its response.
struct Get: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Send one request.",
        discussion: "The body of the response goes to standard output, byte for byte.")

    @OptionGroup var message: MessageOptions

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Write to a file, which appears when it is complete.", valueName: "file"),
        completion: .file())
    var output: String?

    @Flag(
        help: ArgumentHelp(
            "Go on where an earlier download to the file ended, if nothing has changed since.",
            discussion: """
                What has come stays beside the file when it is not complete, in FILE.part. With --retry a connection that is \
                lost is made again, too.
                """))
    var resume = false

    @Flag(name: .shortAndLong, help: "Write the head of the response first.")
    var include = false

    @Flag(name: .shortAndLong, help: "Show what happens to the request on standard error, without secrets.")
    var verbose = false

    @OptionGroup(title: "Request options") var options: RequestOptions
    @OptionGroup(title: "Layers") var layers: LayerOptions

    func validate() throws {
        if output == "" { throw ValidationError("--output names no file") }
        if resume, include { throw ValidationError("--resume goes on with a body; leave --include out") }
        if resume, output.map(OutputFile.isSpecial) ?? true {
            throw ValidationError("--resume needs a file to go on with; name one with --output")
        }
    }

    func run() throws {
        let client = try LiveClient(options, layers: layers)
        defer { client.shutdown() }
        let request = try message.request(on: client.loop)
        let trace = verbose ? Trace() : nil
        let refreshes = trace.flatMap { trace in client.gate?.refreshes.subscribe(onNext: trace.show) }
        defer { refreshes?.dispose() }
        let transfer = Download(includesHead: include, trace: trace)
        // With --include the head precedes the body in the file, so the body can't be resumed.
        if let output, !include, !OutputFile.isSpecial(output) {
            try download(request, to: output, transfer, client)
        } else {
            try write(request, transfer, client)
        }
        if transfer.status >= 400 { throw ExitStatus(code: 22) }
    }

    private func download(
        _ request: Request, to path: String, _ transfer: Download, _ client: LiveClient
    ) throws {
        var request = request
        request.timeout = client.http.configuration.timeout
        var options = DownloadOptions()
        options.isResumable = resume
        options.resumes = resume ? self.options.retry : 0
        if !resume { options.statusCodes = 0..<1000 }
        // Like other command-line clients, the command does not wait for the disk.
        options.isDurable = false
        let progress = ProgressLine(transfer.progress)
        defer { progress.stop() }
        do {
            try finish(
                client.http.download(request, to: path, options: options, on: client.files)
                    .do(onNext: transfer.record))
        } catch let error as HTTPClientError where error.code == .status && transfer.status >= 400 {
            Console.write("freshet: \(error.words)\n")
        }
    }

    private func write(_ request: Request, _ transfer: Download, _ client: LiveClient) throws {
        let output = try OutputFile(output)
        let progress = output.isFile ? ProgressLine(transfer.progress) : nil
        defer {
            progress?.stop()
            output.discard()
        }
        try finish(
            client.http.events(request)
                .map(transfer.receive)
                .output(to: output.descriptor, on: client.loop))
        try output.keep()
    }
}
