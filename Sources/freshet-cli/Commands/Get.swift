import ArgumentParser
import Foundation
import Freshet

/// `freshet get`: one request.
struct Get: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Send one request.",
        discussion: "The body of the answer goes to standard output, byte for byte.")

    @Argument(help: "The absolute address, http or https.")
    var url: String

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Write to a file, which appears when it is complete.", valueName: "file"))
    var output: String?

    @Flag(name: .shortAndLong, help: "Write the head of the answer first.")
    var include = false

    @Option(
        name: [.customShort("X"), .customLong("request")],
        help: ArgumentHelp("The method (default: GET, or POST with -d).", valueName: "method"))
    var method: String?

    @Option(
        name: [.customShort("H"), .customLong("header")], parsing: .unconditionalSingleValue,
        help: ArgumentHelp("A header field of the request; can be repeated.", valueName: "name: value"))
    var headers: [HeaderArgument] = []

    @Option(
        name: [.customShort("d"), .customLong("data")], parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "The body of the request: data, @file, or - for standard input.",
            discussion: "It is sent as it is, as a form unless a Content-Type is given.", valueName: "data"))
    var data: [BodyArgument] = []

    @Flag(name: .shortAndLong, help: "Show what happens to the request on standard error, without secrets.")
    var verbose = false

    @OptionGroup(title: "Request options") var options: RequestOptions

    func validate() throws {
        for header in headers { try header.validate() }
        if output == "" { throw ValidationError("--output names no file") }
    }

    func run() throws {
        let request = try request()
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

    private func request() throws -> Request {
        var request = Request(url: try RequestURL(url))
        for header in headers { try request.headers.append(header.name, header.value) }
        if let body = try data.body() {
            request.method = .post
            request.body = body
            if request.headers[.contentType] == nil {
                request.headers[.contentType] = "application/x-www-form-urlencoded"
            }
        }
        if let method { request.method = try HTTPRequest.Method(named: method) }
        return request
    }
}

extension HTTPRequest.Method {
    /// - Throws: ``HTTPClientError`` with code `invalidRequest` for what HTTP does not allow as a method.
    init(named name: String) throws {
        guard let method = Self(name) else {
            throw HTTPClientError(
                .invalidRequest, phase: .preparing, message: "the method holds a character that is not allowed in one",
                isUnsent: true)
        }
        self = method
    }
}
