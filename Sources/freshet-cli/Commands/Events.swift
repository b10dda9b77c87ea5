import ArgumentParser
import Foundation
import Freshet
import Synchronization

/// `freshet events`: follows a server-sent event stream.
struct Events: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Follow a server-sent event stream.",
        discussion: """
            One JSON line per event: {"type": "message", "data": "...", "id": "..."}; id is the last event ID as of that event. \
            After a connection is lost or ended, the command reconnects from there, without end and with growing waits. If the \
            first connection fails, the command ends. A status of 204 ends the stream; any other but 200, or another type than \
            text/event-stream, is a failure. --timeout counts up to the head of a response.

            Each reconnection sends the same request again, also a POST with its body; with --no-reconnect it is sent once. \
            A status such as 503 on a reconnection ends the stream too, unless --retry allows more tries.
            """)

    @OptionGroup var message: MessageOptions
    @OptionGroup var upload: UploadOptions
    @OptionGroup(title: "As in curl") var curl: CurlOptions
    @OptionGroup(title: "As in curl") var redirects: RedirectOptions

    @Option(help: ArgumentHelp("Stop after so many events.", valueName: "n"))
    var limit: Int?

    @Option(
        name: .customLong("last-event-id"),
        help: ArgumentHelp("Where an earlier stream ended, to go on after it.", valueName: "id"))
    var lastEventID: String?

    @Flag(help: "Stop at the end of the first response; if the connection is lost, that is a failure.")
    var noReconnect = false

    @OptionGroup(title: "Request options") var options: RequestOptions
    @OptionGroup(title: "Request options") var network: NetworkOptions
    @OptionGroup(title: "Request options") var profile: ProfileOptions
    @OptionGroup(title: "Layers") var layers: LayerOptions

    func validate() throws {
        if let option = upload.option, !message.allData.isEmpty {
            throw ValidationError("the data of -d and \(option) exclude each other")
        }
        if let limit, limit < 0 { throw ValidationError("--limit is a number from 0 up") }
    }

    func run() throws {
        curl.apply()
        let client = try LiveClient(
            options, network, profile, without: message.headers.omittedNames, layers: layers, notesRetries: true,
            adjust: redirects.apply)
        defer { client.shutdown() }
        let request = try message.request(on: client.loop, upload: upload)
        var settings = EventSource.Settings()
        settings.reconnection = noReconnect ? .never : .onceOpen
        let source = EventSource(request, by: client.http, after: lastEventID, settings: settings)
        let isRepeated = Atomic(false)
        let isReplayed = layers.replay != nil
        let events = source.signals
            .do(onNext: { [method = request.method] signal in
                guard case .reconnecting = signal, method != .get || isReplayed else { return }
                if isRepeated.exchange(true, ordering: .relaxed) { return }
                if isReplayed {
                    return Console.report(
                        "note: the recorded stream has ended, and is asked for again; --no-reconnect plays it once")
                }
                Console.report(
                    "note: each reconnection sends the \(method) again; --no-reconnect sends it once")
            })
            .compactMap(Self.event)
        do {
            try finish(
                (limit.map { events.take($0) } ?? events)
                    .map(Self.line)
                    .output(to: STDOUT_FILENO, on: client.loop))
        } catch var error as HTTPClientError {
            if let response = error.response, var note = client.missingCredential {
                note.report(response.status.code, from: response.url.origin)
            }
            if error.code == .status, error.recoverySuggestion == .tryAgainLater, options.retry == 0,
                request.method.isIdempotent, let status = error.response?.status.code,
                RetryPolicy().statusCodes.contains(status)
            {
                error.recoverySuggestion = "try again later, or several times with --retry N"
            }
            if error.code == .status, error.response?.body.isEmpty == false, let suggestion = error.recoverySuggestion {
                error.recoverySuggestion = "\(suggestion), or read its body with freshet get"
            }
            throw error
        }
    }

    /// The event of `signal`; `nil` for any other signal. A failure before a reconnection is noted on standard error.
    @Sendable
    private static func event(of signal: EventSource.Signal) -> ServerSentEvent? {
        switch signal {
        case .event(let event): return event
        case .reconnecting(let delay, .failed(let error)):
            let seconds = (delay / .milliseconds(100)).rounded() / 10
            Console.report("note: \(error.commandLineMessage); trying again in \(seconds) s")
        default: break
        }
        return nil
    }

    @Sendable
    private static func line(of event: ServerSentEvent) -> [UInt8] {
        var writer = JSONWriter(reserving: 64 + event.data.utf8.count * 9 / 8)
        writer.object { line in
            line.member("type") { $0.string(event.type) }
            line.member("data") { $0.string(event.data) }
            line.member("id") { $0.string(event.id) }
        }
        return writer.line()
    }
}
