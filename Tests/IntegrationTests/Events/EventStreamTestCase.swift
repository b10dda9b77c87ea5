import Foundation
import FreshetCore
import FreshetEvents
import FreshetHTTP
import FreshetHTTPTesting
import FreshetLoop
import HTTPTypes
import XCTest

/// The events of a followed stream.
struct StreamLog: Sendable {
    var events: [ServerSentEvent] = []
    var comments: [String] = []
    /// The number of times that the stream has opened.
    var openings = 0
    var waits: [Duration] = []
    /// The errors after which the stream reconnected.
    var troubles: [HTTPClientError] = []
    var error: HTTPClientError?
    var isOver = false

    var data: [String] { events.map(\.data) }

    mutating func record(_ event: Event<EventSource.Signal>) {
        switch event {
        case .next(.event(let event)): events.append(event)
        case .next(.comment(let text)): comments.append(text)
        case .next(.open): openings += 1
        case .next(.reconnecting(let wait, let reason)):
            waits.append(wait)
            if case .failed(let error as HTTPClientError) = reason { troubles.append(error) }
        case .next(.connecting), .next(.closed): break
        case .error(let error):
            self.error = error as? HTTPClientError
            isOver = true
        case .completed: isOver = true
        }
    }
}

/// Follows a stream. The test's own thread waits for its events.
final class Following: Sendable {
    private let log = Locked(StreamLog())
    private let news = DispatchSemaphore(value: 0)
    private let subscription = SerialDisposable()

    init(_ source: EventSource) {
        subscription.disposable = source.signals.subscribe { [log, news] event in
            log.withLock { $0.record(event) }
            news.signal()
        }
    }

    var now: StreamLog { log.withLock { $0 } }

    /// Waits until `isSo` holds for the log.
    @discardableResult
    func wait(
        until what: String, file: StaticString = #filePath, line: UInt = #line, _ isSo: (StreamLog) -> Bool
    ) -> StreamLog {
        let deadline = DispatchTime.now() + 20
        while true {
            let log = now
            if isSo(log) { return log }
            guard news.wait(timeout: deadline) == .success else {
                XCTFail("not within 20 s: \(what)", file: file, line: line)
                return log
            }
        }
    }

    /// Waits for the end of the stream.
    @discardableResult
    func end(file: StaticString = #filePath, line: UInt = #line) -> StreamLog {
        wait(until: "the end", file: file, line: line) { $0.isOver }
    }

    func leave() { subscription.dispose() }
}

/// A live client, a scripted server, and streams that reconnect at once.
class EventStreamTestCase: TransportOnScriptedServerTestCase {
    var settings = EventSource.Settings()

    override func setUpWithError() throws {
        try super.setUpWithError()
        settings = EventSource.Settings()
        settings.reconnectionTime = .milliseconds(1)
        settings.minimumReconnectionTime = .zero
        settings.random = { 0 }
    }

    func client(_ interceptors: any RequestInterceptor...) -> HTTPClient {
        HTTPClient(transport: transport(), scheduler: LoopScheduler(loop), interceptors: interceptors)
    }

    func follow(_ request: Request? = nil, by client: HTTPClient? = nil, after id: String? = nil) throws -> Following {
        Following(
            EventSource(
                try request ?? Request(.get, server.url + "/events"), by: client ?? self.client(), after: id,
                settings: settings))
    }

    func lastEventID(of request: RecordedRequest) -> [UInt8]? {
        request.headers[fields: .lastEventID].first?.withUnsafeBytesOfValue { Array($0) }
    }

    var lastEventIDs: [String?] {
        server.requests.map { lastEventID(of: $0).map { String(decoding: $0, as: UTF8.self) } }
    }
}

extension ScriptedResponse {
    /// The beginning of an event stream in pieces, and its end.
    static func events(_ pieces: String..., type: String? = "text/event-stream") -> ScriptedResponse {
        events(pieces.map { Array($0.utf8) }, type: type)
    }

    static func events(_ pieces: [[UInt8]], type: String? = "text/event-stream") -> ScriptedResponse {
        ScriptedResponse(headers: type.map { [.contentType: $0] } ?? [:], pieces: pieces).chunked()
    }

    /// The response that ends a stream without a reconnection.
    static var noMore: ScriptedResponse { ScriptedResponse(status: .noContent) }
}

extension HTTPField.Name {
    static let lastEventID = HTTPField.Name("Last-Event-ID")!
    static let pragma = HTTPField.Name("Pragma")!
}
