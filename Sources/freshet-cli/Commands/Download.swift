import Foundation
import Freshet
import FreshetLoad

/// The response to the request of `get`: chooses the bytes for the output, and counts the progress.
final class Download: Sendable {
    private let includesHead: Bool
    /// Whether the body of a response with a status of 400 or above is dropped.
    private let dropsErrors: Bool
    /// Whether the output is a terminal, which must not receive binary data.
    private let protectsTerminal: Bool
    /// The file that the response goes to, if an earlier download to it goes on.
    private let resumedFile: String?
    private let trace: Trace?
    private let state = Locked(State())

    init(
        includesHead: Bool, dropsErrors: Bool, protectsTerminal: Bool, resuming resumedFile: String?, trace: Trace?
    ) {
        self.includesHead = includesHead
        self.dropsErrors = dropsErrors
        self.protectsTerminal = protectsTerminal
        self.resumedFile = resumedFile
        self.trace = trace
    }

    /// The status code of the response; 0 before its head arrives.
    var status: Int { state.withLock { $0.status } }
    /// Whether the response is an error. A 416 is none if it says that an earlier download was complete.
    var hasFailed: Bool { status >= 400 && !(resumedFile != nil && state.withLock { $0.isComplete }) }
    /// The origin of the response that is delivered.
    var origin: Origin? { state.withLock { $0.origin } }
    /// The generation of the profile's credential on the latest attempt; 0 without one.
    var generation: Int { state.withLock { $0.generation } }
    /// Whether the response is a redirect that repeats the request with its body.
    var isRepeatingRedirect: Bool { [307, 308].contains(status) && state.withLock { $0.hasLocation } }
    /// Whether the response says when a request of any method can be sent again.
    var asksForRetry: Bool { [429, 503].contains(status) && state.withLock { $0.hasRetryAfter } }
    /// How often the request was sent again.
    var retries: Int { state.withLock { $0.retries } }
    /// Whether only a stored response was asked for, and there is none.
    var isUnsatisfiable: Bool { state.withLock { $0.isUnsatisfiable } }
    var hasBody: Bool { state.withLock { $0.received } > 0 }

    /// Records `event`, and returns the bytes that it adds to the output.
    @Sendable
    func receive(_ event: RequestEvent) throws -> [UInt8] {
        trace?.show(event)
        state.withLock { $0.record(event) }
        switch event {
        case .retry(let delay, let outcome) where trace == nil && delay > (Console.isTerminal ? .zero : .seconds(1)):
            Console.report(Trace.note(ofRetryAfter: delay, dueTo: outcome))
        case .head(let head, _) where includesHead:
            return text(of: head)
        case .body(let bytes):
            if dropsErrors, status >= 400 { return [] }
            if protectsTerminal, bytes.contains(0) { throw Self.binaryOutput }
            return bytes
        default: break
        }
        return []
    }

    /// Records an event of a response that the client itself writes to a file.
    @Sendable
    func record(_ event: DownloadEvent) throws {
        switch event {
        case .request(let event):
            if case .attempt(_, let request) = event { findEarlierPart(for: request) }
            _ = try receive(event)
        case .progress(let progress):
            if progress.received == 0 { noteNewBeginning() }
            state.withLock { $0.record(progress) }
        case .resuming(let offset, let delay, _):
            trace?.write(
                "* the connection was lost; going on at byte \(offset) after \(TextFormat.seconds(delay / .seconds(1)))"
            )
        case .finished:
            state.withLock { $0.isComplete = true }
        }
    }

    private func findEarlierPart(for request: Request) {
        guard let resumedFile else { return }
        let asksForRest = request.headers.contains(.ifRange)
        // Later attempts find the part of this download.
        guard asksForRest || !state.withLock({ $0.hasAttempted }) else { return }
        let part = EarlierPart(of: resumedFile, for: request)
        state.withLock { state in
            state.hasAttempted = true
            state.reasonOfNewBeginning =
                asksForRest ? "the server sent no rest of what was downloaded earlier" : part?.reasonAgainstContinuing
        }
    }

    /// Notes that the whole body comes, although an earlier download has left a part of it.
    private func noteNewBeginning() {
        guard let reason = state.withLock({ $0.reasonOfNewBeginning.take() }) else { return }
        Console.report("note: the download begins anew, because \(reason)")
    }

    private func text(of head: HTTPResponse) -> [UInt8] {
        let isHTTP2 = state.withLock { $0.isHTTP2 }
        var bytes = Array((isHTTP2 ? "HTTP/2 \(head.status.code)\r\n" : "HTTP/1.1 \(head.status)\r\n").utf8)
        for field in head.headerFields {
            bytes += Array("\(field.name.rawName): ".utf8)
            // The value may be in another encoding than UTF-8.
            field.withUnsafeBytesOfValue { bytes += $0 }
            bytes += [13, 10]
        }
        return bytes + [13, 10]
    }

    private static let binaryOutput = HTTPClientError(
        .cancelled, phase: .receiving, message: "the body is not text, so it is not written to a terminal",
        recoverySuggestion: "write it to a file with -o FILE, or to the terminal with -o -")

    @Sendable
    func progress(width: Int) -> String {
        let (received, expected, rate) = state.withLock { ($0.received, $0.expected, $0.rate) }
        let speed = rate >= 1 ? ["\(TextFormat.bytes(Int(rate)))/s"] : []
        guard expected > 0 else { return TextFormat.progress(nil, [TextFormat.bytes(received)] + speed, in: width) }
        let fraction = Double(received) / Double(expected)
        let left = rate >= 1 ? ["\(TextFormat.seconds(Double(max(0, expected - received)) / rate)) left"] : []
        return TextFormat.progress(
            fraction,
            ["\(Int(fraction * 100)) %"] + left + speed
                + ["\(TextFormat.bytes(received)) of \(TextFormat.bytes(expected))"],
            in: width)
    }
}

extension Download {
    /// What the events have told so far.
    private struct State {
        private(set) var status = 0
        private(set) var origin: Origin?
        private(set) var hasLocation = false
        private(set) var hasRetryAfter = false
        private(set) var isHTTP2 = false
        private(set) var retries = 0
        private(set) var generation = 0
        private(set) var isUnsatisfiable = false
        var hasAttempted = false
        /// Why an earlier download does not go on if the whole body comes; `nil` if there was none, or if that was said.
        var reasonOfNewBeginning: String?
        /// Whether the whole file is there.
        var isComplete = false
        private(set) var received = 0
        /// The length of the body; 0 if it is not known.
        private(set) var expected = 0
        /// When the first bytes arrived, and how many had been received then; earlier ones were those of an earlier download.
        private var start: (time: ContinuousClock.Instant, received: Int)?

        /// Bytes per second since the first ones.
        var rate: Double {
            start.map { Double(received - $0.received) / max(1e-3, (.now - $0.time) / .seconds(1)) } ?? 0
        }

        mutating func record(_ event: RequestEvent) {
            switch event {
            case .attempt(_, let request):
                generation = request.tags[AppliedCredential.self]?.generation ?? 0
            case .phase(.secured(let name)):
                isHTTP2 = name.contains("2")
            case .phase(.cache(.unsatisfiable)):
                isUnsatisfiable = true
            case .retry:
                retries += 1
            case .head(let head, let url):
                status = head.status.code
                origin = url.origin
                hasLocation = head.headerFields.contains(.location)
                hasRetryAfter = head.headerFields.contains(.retryAfter)
                expected = head.headerFields.contentLength ?? 0
            case .body(let bytes):
                start = start ?? (.now, received)
                received += bytes.count
            default: break
            }
        }

        mutating func record(_ progress: DownloadProgress) {
            (received, expected) = (progress.received, progress.total ?? 0)
            start = start ?? (.now, received)
        }
    }
}
