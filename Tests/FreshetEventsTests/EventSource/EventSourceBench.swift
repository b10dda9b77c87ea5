import FreshetCore
import FreshetEvents
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

/// A client on a stub and on virtual time, and a log of its streams with the times in milliseconds.
final class EventSourceBench: @unchecked Sendable {
    let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
    let transport: StubTransport
    var interceptors: [any RequestInterceptor] = []
    var configuration = HTTPClient.Configuration()
    var settings = EventSource.Settings()
    private(set) var log: [String] = []
    private(set) var events: [ServerSentEvent] = []

    init() {
        transport = StubTransport(scheduler: scheduler)
        settings.random = { 0 }
    }

    var client: HTTPClient {
        HTTPClient(
            transport: transport, scheduler: scheduler, interceptors: interceptors, configuration: configuration)
    }

    /// The last event ID of each request.
    var lastEventIDs: [String?] { transport.requests.map { $0.headers[.lastEventID] } }

    func source(_ request: Request? = nil, after id: String? = nil) throws -> EventSource {
        EventSource(try request ?? Request(.get, "http://a/events"), by: client, after: id, settings: settings)
    }

    /// Follows a stream and logs its events.
    func follow(_ source: EventSource) -> any Disposable {
        source.signals.subscribe { [self] event in
            switch event {
            case .next(.event(let event)):
                events.append(event)
                record("\(event.id.isEmpty ? "" : event.id + ":")\(event.data)")
            case .next(.reconnecting(let delay, let reason)):
                let why = if case .failed(let error) = reason { code(of: error) } else { "\(reason)" }
                record("reconnecting in \(Int(delay / .milliseconds(1))): \(why)")
            case .next(let signal): record("\(signal)")
            case .error(let error): record("error \(code(of: error))")
            case .completed: record("completed")
            }
        }
    }

    /// Follows a stream until `time`, and then disposes of it.
    func run(_ request: Request? = nil, after id: String? = nil, until time: Int = 60_000) throws -> [String] {
        let subscription = follow(try source(request, after: id))
        scheduler.advanceTo(time)
        subscription.dispose()
        scheduler.start()
        return log
    }

    private func record(_ text: String) { log.append("\(scheduler.clock) \(text)") }
    private func code(of error: any Error) -> String { (error as? HTTPClientError)?.code.rawValue ?? "\(error)" }
}

extension ScriptedResponse {
    /// The beginning of an event stream in pieces, and its end.
    static func events(_ pieces: String..., type: String = "text/event-stream") -> ScriptedResponse {
        ScriptedResponse(headers: [.contentType: type], pieces: pieces.map { Array($0.utf8) })
    }

    /// The beginning of an event stream that does not end.
    static func endless(_ pieces: String...) -> ScriptedResponse {
        var response = ScriptedResponse.events()
        let bytes = pieces.map { Array($0.utf8) }
        response = .streaming(.from(bytes).concat(Observable<[UInt8]>.never()), headers: response.headers)
        return response
    }
}

extension HTTPField.Name {
    static let lastEventID = HTTPField.Name("Last-Event-ID")!
}
