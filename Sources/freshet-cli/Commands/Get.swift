import ArgumentParser
import Foundation
import Freshet

/// `freshet get`: sends one request, and writes the body of its response.
struct Get: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Send one request.",
        discussion: "The body of the response goes to standard output, byte for byte.")

    @OptionGroup var message: MessageOptions
    @OptionGroup var upload: UploadOptions
    @OptionGroup(title: "As in curl") var curl: CurlOptions
    @OptionGroup(title: "As in curl") var redirects: RedirectOptions

    @Option(
        name: [.customShort("o"), .long],
        help: ArgumentHelp("Write to a file, which appears when it is complete.", valueName: "file"),
        completion: .file())
    var output: String?

    @Flag(
        name: [.customShort("O"), .long], help: "Write to a file here, named as the last part of the address's path.")
    var remoteName = false

    @Flag(
        help: ArgumentHelp(
            "Go on where an earlier download to the file ended, if nothing has changed since.",
            discussion: """
                What has come stays beside the file when it is not complete, in FILE.part. A complete FILE is downloaded \
                anew, and so is the part of another address. With --retry a connection that is lost is made again, too.
                """))
    var resume = false

    @Flag(name: .shortAndLong, help: "Write the head of the response first.")
    var include = false

    @Flag(name: [.customShort("I"), .customLong("head")], help: "Ask with HEAD, and write the head.")
    var isHead = false

    @Flag(name: .shortAndLong, help: "Write no body of a response with a status of 400 or above.")
    var fail = false

    @Flag(name: [.customShort("G"), .customLong("get")], help: "Add the data of -d to the address, and send a GET.")
    var isQuery = false

    @Flag(name: .shortAndLong, help: "Show what happens to the request on standard error, without secrets.")
    var verbose = false

    @OptionGroup(title: "Request options") var options: RequestOptions
    @OptionGroup(title: "Request options") var network: NetworkOptions
    @OptionGroup(title: "Request options") var profile: ProfileOptions
    @OptionGroup(title: "Layers") var layers: LayerOptions

    func validate() throws {
        if remoteName, output != nil { throw ValidationError("--remote-name and --output both name the file") }
        if isHead, message.method != nil {
            throw ValidationError("--head asks with HEAD; with --request METHOD, write --include")
        }
        if isHead, upload.isUsed { throw ValidationError("--head asks with HEAD, which has no body") }
        if isHead, !isQuery, !message.allData.isEmpty {
            throw ValidationError("--head asks with HEAD, which has no body; leave the data out, or add --get")
        }
        if let option = upload.option, isQuery || !message.allData.isEmpty {
            throw ValidationError("\(isQuery ? "--get" : "the data of -d") and \(option) exclude each other")
        }
        if output == "" { throw ValidationError("--output names no file") }
        try NamedFiles.checkDiffer((remoteName ? "--remote-name" : "--output", try? fileName()), layers.files)
        let asksForHead = isHead ? "--head" : message.method == "HEAD" ? "--request HEAD" : nil
        if resume, let option = asksForHead ?? (include ? "--include" : nil) {
            throw ValidationError("--resume goes on with a body; leave \(option) out")
        }
        if resume, !remoteName, output.map(OutputFile.isSpecial) ?? true {
            throw ValidationError("--resume needs a file to go on with; name one with --output")
        }
    }

    /// The file that the options name; `nil` for standard output.
    private func fileName() throws -> String? {
        guard remoteName else { return output }
        return try OutputFile.name(from: message.parsedAddress(isQuery: false), writtenAs: message.url)
    }

    func run() throws {
        curl.apply()
        let client = try LiveClient(
            options, network, profile, without: message.headers.omittedNames, layers: layers,
            adjust: redirects.apply)
        defer { client.shutdown() }
        var request = try message.request(on: client.loop, upload: upload, isQuery: isQuery)
        if isHead { request.method = .head }
        // An address that is a folder gets the name of the uploaded file, which is not that of the response.
        let output = try fileName()
        let trace = verbose ? Trace(of: request.url, profile: client.profile) : nil
        let refreshes = trace.flatMap { trace in client.gate?.refreshes.subscribe(onNext: trace.show) }
        defer { refreshes?.dispose() }
        let protectsTerminal = output == nil && isatty(STDOUT_FILENO) == 1
        let transfer = Download(
            includesHead: include || isHead, dropsErrors: fail, protectsTerminal: protectsTerminal,
            resuming: resume ? output : nil, trace: trace)
        do {
            defer { trace?.showEnding() }
            try send(request, to: output, transfer, client)
        } catch let error where request.isOneShot && !(error is Stopped) {
            try finishRefresh(of: client, replacing: transfer.generation)
            throw error
        }
        if transfer.hasFailed { report(transfer, of: request, in: output, client) }
        if request.isOneShot { try finishRefresh(of: client, replacing: transfer.generation) }
        if transfer.hasFailed { throw ExitStatus(code: 22) }
    }

    /// Sends the request, and writes what comes.
    private func send(_ request: Request, to output: String?, _ transfer: Download, _ client: LiveClient) throws {
        do {
            // With --include the head precedes the body in the file, so the body can't be resumed.
            if let output, !include, !isHead, !OutputFile.isSpecial(output) {
                try download(request, to: output, transfer, client)
            } else {
                try write(request, to: output, transfer, client)
            }
        } catch is OutputClosed where transfer.status >= 400 {
            // The response has failed whatever its reader does.
        } catch let error as HTTPClientError {
            let policy = RetryPolicy()
            if options.retry > 0, transfer.retries == 0, policy.errorCodes.contains(error.code), !error.isUnsent {
                noteUnsafeRetry(of: request)
            }
            throw error.naming(request)
        }
        if redirects.location, request.isOneShot, transfer.isRepeatingRedirect {
            throw HTTPClientError(
                .forbiddenRedirect, phase: .redirecting,
                message:
                    "the redirect with \(transfer.status) is not followed, because the body came from a pipe and can't be "
                    + "sent again",
                recoverySuggestion: "send it from a file"
            ).naming(request)
        }
    }

    private func download(
        _ request: Request, to path: String, _ transfer: Download, _ client: LiveClient
    ) throws {
        var request = request
        request.timeout = client.http.configuration.timeout
        var options = DownloadOptions()
        options.isResumable = resume
        options.resumes = resume ? self.options.retry : 0
        if !resume { options.statusCodes = fail ? 0..<400 : 0..<1000 }
        // Like other command-line clients, the command does not wait for the disk.
        options.isDurable = false
        let progress = ProgressLine(transfer.progress)
        defer { progress.stop() }
        do {
            try finish(
                client.http.download(request, to: path, options: options, on: client.files)
                    .do(onNext: transfer.record))
        } catch let error as HTTPClientError where error.code == .status && transfer.status == 304 {
            Console.report("note: the server responded with 304, so nothing was written to \(path)")
            if resume { notePartialFile(of: path, transfer, of: request, after: error) }
        } catch let error as HTTPClientError where error.code == .status && transfer.status >= 400 {
            if !fail { Console.report(error.commandLineMessage) }
        } catch {
            notePartialFile(of: path, transfer, of: request, after: error)
            throw error
        }
    }

    private func write(
        _ request: Request, to path: String?, _ transfer: Download, _ client: LiveClient
    ) throws {
        let output = try OutputFile(path)
        let progress = output.isFile ? ProgressLine(transfer.progress) : nil
        defer {
            progress?.stop()
            output.discard()
        }
        let bytes = client.http.events(request).map(transfer.receive)
        try finish((verbose ? bytes.afterConsole() : bytes).output(to: output.descriptor, on: client.loop))
        if !fail || transfer.status < 400 { try output.keep() }
    }
}
