import Foundation
import Freshet
import FreshetLoad
import Synchronization

/// The response to the request of `get`: chooses the bytes for the output, and counts the progress.
final class Download: Sendable {
    private let includesHead: Bool
    /// Whether the body of a response with a status of 400 or above is dropped.
    private let dropsErrors: Bool
    /// Whether the output is a terminal, which must not receive binary data.
    private let protectsTerminal: Bool
    /// Whether an earlier download goes on.
    private let resumes: Bool
    private let trace: Trace?
    private let code = Atomic<Int>(0)
    private let received = Atomic<Int>(0)
    private let expected = Atomic<Int>(0)
    /// When the first bytes arrived, and how many had been received then; earlier ones were those of an earlier download.
    private let start = Locked<(time: ContinuousClock.Instant, received: Int)?>(nil)
    private let speaksHTTP2 = Atomic<Bool>(false)
    private let hasLocation = Atomic<Bool>(false)
    private let hasRetryAfter = Atomic<Bool>(false)
    private let retryCount = Atomic<Int>(0)
    /// Whether only a stored response was asked for, and there is none.
    private let lacksStored = Atomic<Bool>(false)
    /// Whether the rest of an earlier download was asked for.
    private let asksForRest = Atomic<Bool>(false)
    /// Whether the whole file is there.
    private let isComplete = Atomic<Bool>(false)
    /// The origin of the response that is delivered.
    private let lastOrigin = Locked<Origin?>(nil)
    /// The generation of the profile's credential on the latest attempt; 0 without one.
    private let latestGeneration = Atomic<Int>(0)

    init(includesHead: Bool, dropsErrors: Bool, protectsTerminal: Bool, resumes: Bool, trace: Trace?) {
        self.includesHead = includesHead
        self.dropsErrors = dropsErrors
        self.protectsTerminal = protectsTerminal
        self.resumes = resumes
        self.trace = trace
    }

    /// The status code of the response; 0 before its head arrives.
    var status: Int { code.load(ordering: .acquiring) }
    /// Whether the response is an error. A 416 is none if it says that an earlier download was complete.
    var hasFailed: Bool { status >= 400 && !(resumes && isComplete.load(ordering: .acquiring)) }
    var origin: Origin? { lastOrigin.withLock { $0 } }
    var generation: Int { latestGeneration.load(ordering: .acquiring) }
    /// Whether the response is a redirect that repeats the request with its body.
    var isRepeatingRedirect: Bool { [307, 308].contains(status) && hasLocation.load(ordering: .acquiring) }
    /// Whether the response says when a request of any method can be sent again.
    var asksForRetry: Bool { [429, 503].contains(status) && hasRetryAfter.load(ordering: .acquiring) }
    /// How often the request was sent again.
    var retries: Int { retryCount.load(ordering: .acquiring) }
    var isUnsatisfiable: Bool { lacksStored.load(ordering: .acquiring) }
    var hasBody: Bool { received.load(ordering: .relaxed) > 0 }

    /// Records `event`, and returns the bytes that it adds to the output.
    @Sendable
    func receive(_ event: RequestEvent) throws -> [UInt8] {
        trace?.show(event)
        if case .retry = event { retryCount.add(1, ordering: .releasing) }
        switch event {
        case .phase(.cache(.unsatisfiable)):
            lacksStored.store(true, ordering: .releasing)
        case .phase(.secured(let name)):
            speaksHTTP2.store(name.contains("2"), ordering: .relaxed)
        case .attempt(_, let request):
            latestGeneration.store(request.tags[AppliedCredential.self]?.generation ?? 0, ordering: .releasing)
        case .retry(let delay, let outcome) where delay > .zero && trace == nil && Console.isTerminal:
            let seconds = TextFormat.seconds(delay / .seconds(1))
            Console.report("note: \(Trace.description(of: outcome)); trying again in \(seconds)")
        case .head(let head, let url):
            lastOrigin.withLock { $0 = url.origin }
            hasLocation.store(head.headerFields.contains(.location), ordering: .releasing)
            hasRetryAfter.store(head.headerFields.contains(.retryAfter), ordering: .releasing)
            code.store(head.status.code, ordering: .releasing)
            expected.store(head.headerFields[.contentLength].flatMap { Int($0) } ?? 0, ordering: .relaxed)
            if includesHead { return text(of: head) }
        case .body(let bytes):
            begin()
            received.add(bytes.count, ordering: .relaxed)
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
            noteNewBeginning(event)
            _ = try receive(event)
        case .progress(let progress):
            received.store(progress.received, ordering: .relaxed)
            expected.store(progress.total ?? 0, ordering: .relaxed)
            begin()
        case .resuming(let offset, let delay, _):
            trace?.write(
                "* the connection was lost; going on at byte \(offset) after \(TextFormat.seconds(delay / .seconds(1)))"
            )
        case .finished:
            isComplete.store(true, ordering: .releasing)
        }
    }

    /// Notes that the whole body comes, although the rest was asked for.
    private func noteNewBeginning(_ event: RequestEvent) {
        switch event {
        case .attempt(_, let request) where resumes && request.headers.contains(.ifRange):
            asksForRest.store(true, ordering: .relaxed)
        case .head(let head, _) where head.status == .ok && asksForRest.load(ordering: .relaxed):
            Console.report(
                "note: the download begins anew, because the server sent no rest of what was downloaded earlier")
        default: break
        }
    }

    private func text(of head: HTTPResponse) -> [UInt8] {
        let isHTTP2 = speaksHTTP2.load(ordering: .relaxed)
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

    private func begin() {
        let received = received.load(ordering: .relaxed)
        start.withLock { $0 = $0 ?? (.now, received) }
    }

    @Sendable
    func progress(width: Int) -> String {
        let received = received.load(ordering: .relaxed)
        let expected = expected.load(ordering: .relaxed)
        let rate = start.withLock { $0 }.map { Double(received - $0.received) / ((.now - $0.time) / .seconds(1)) } ?? 0
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
