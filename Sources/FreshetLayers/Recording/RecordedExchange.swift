import FoundationEssentials
import FreshetCore
import FreshetHTTP
import HTTPTypes

/// One transfer that is being recorded.
final class RecordedExchange: ForwardingReceiver {
    private enum Mark { case admitted, resolved, connected, secured, sent }

    private struct State: Sendable {
        var request: Request?
        var began: Instant
        var date: Double
        var marks: [Mark: Instant] = [:]
        var version = "HTTP/1.1"
        var head: HTTPResponse?
        var headAt: Instant?
        /// The body of the request, if it had to be read for the recording.
        var sent: RecordedBody?
        var body: [UInt8] = []
        var chunks: [[Double]] = []
        var interim: [HTTPResponse] = []
        var trailers: HTTPFields = [:]
        var error: String?
        var phase: String?
        var isUnsent: Bool?
        var isComplete = false
        var isTaken = false

        /// The error of the request. A caller or a timeout can end a request before its response is complete, and the transport
        /// reports no error then. An event stream has no end that would be missing.
        var failure: String? {
            let isEventStream = head?.headerFields[.contentType]?.lowercased().hasPrefix("text/event-stream") == true
            return error ?? (isComplete || isEventStream ? nil : HTTPClientError.Code.cancelled.rawValue)
        }
    }

    let above: any TransferReceiver
    private let scheduler: any SchedulerType
    private let files: any ImmediateSchedulerType
    private let secrets: FurtherSecrets
    private let state: Locked<State>

    init(
        _ above: any TransferReceiver, masking secrets: FurtherSecrets, _ scheduler: any SchedulerType,
        _ files: any ImmediateSchedulerType,
        _ now: @Sendable () -> Double
    ) {
        self.above = above
        self.secrets = secrets
        self.scheduler = scheduler
        self.files = files
        state = Locked(State(began: scheduler.now, date: now()))
    }

    /// Reads the body before it is sent, if it is in no memory.
    func prepare(_ request: inout Request) -> Adaptation {
        switch above.prepare(&request) {
        case .ready where request.body.bytes != nil: .ready
        case .ready: .waiting(reading(request))
        case .waiting(let prepared): .waiting(prepared.flatMap { self.reading($0) })
        }
    }

    private func reading(_ request: Request) -> Single<Request> {
        guard request.body.bytes == nil else { return .just(request) }
        // The transport reports a file that can't be read.
        return RecordedBody.read(request, on: files).catchAndReturn((request, .unread)).map { read in
            self.state.withLock { $0.sent = read.body }
            return read.request
        }
    }

    func willSend(_ request: Request) {
        state.withLock { $0.request = request }
        above.willSend(request)
    }

    func receive(_ part: consuming ResponsePart) {}
    func receiveEnd(_ failure: (any Error)?) {}

    func record(_ part: ResponsePart) {
        let now = scheduler.now
        state.withLock { state in
            switch part {
            case .phase(.admitted): state.marks[.admitted] = now
            case .phase(.resolved): state.marks[.resolved] = now
            case .phase(.connected): state.marks[.connected] = now
            case .phase(.secured(let name)):
                state.marks[.secured] = now
                if name == "h2" { state.version = "HTTP/2" }
            case .phase(.requestSent): state.marks[.sent] = now
            case .informational(let head): state.interim.append(head)
            case .head(let head): (state.head, state.headAt) = (head, now)
            case .trailers(let fields): state.trailers = fields
            case .body(let bytes):
                let kept = bytes.prefix(RecordedBody.limit - state.body.count)
                if kept.count < bytes.count { state.error = HTTPClientError.Code.tooLarge.rawValue }
                guard !kept.isEmpty else { return }
                state.body += kept
                state.chunks.append([Self.milliseconds(state.headAt ?? now, now), Double(kept.count)])
            default: break
            }
        }
    }

    func record(_ error: any Error) {
        let failure = error as? HTTPClientError
        state.withLock { state in
            guard state.error == nil else { return }
            state.error = failure?.code.rawValue ?? "error"
            (state.phase, state.isUnsent) = (failure?.phase.rawValue, failure?.isUnsent)
        }
    }

    func complete() {
        state.withLock { $0.isComplete = true }
    }

    private static func milliseconds(_ start: Instant, _ end: Instant) -> Double {
        (start.duration(to: end) / .milliseconds(1) * 1000).rounded() / 1000
    }

    /// Returns the entry once, with its secrets masked; `nil` if nothing was sent.
    func takeEntry() -> HAREntry? {
        let end = scheduler.now
        return state.withLock { state in
            guard !state.isTaken, let request = state.request else { return nil }
            state.isTaken = true
            let described = RecordedRequest(
                request, RecordedBody(inMemory: request.body) ?? state.sent ?? .unread, masking: secrets)
            var mask = described.mask
            let type = state.head?.headerFields[.contentType] ?? "application/octet-stream"
            let text = SecretMask.text(state.body, type: type)
            let isUTF8 = String(validating: state.body, as: UTF8.self) != nil
            let fields = state.head?.headerFields ?? [:]
            mask.learn(fields)
            if let text { mask.learn(text) }
            var body =
                described.getsTokenResponse ? RecordedRequest.tokenResponse : text.map { mask.body($0, type: type) }
            // Without a secret, bytes that are not UTF-8 are kept as they are.
            if body == text, !isUTF8 { body = nil }
            let content = HAREntry.Content(
                size: state.body.count, mimeType: type,
                text: body ?? (state.body.isEmpty ? nil : Data(state.body).base64EncodedString()),
                encoding: body == nil && !state.body.isEmpty ? "base64" : nil)
            var entry = HAREntry(
                startedDateTime: HAREntry.text(state.date), time: Self.milliseconds(state.began, end),
                request: described.har(version: state.version), response: Self.response(state, content, mask),
                timings: timings(state, end),
                chunks: state.chunks)
            if let body, body != text {
                entry.chunks =
                    Self.chunks(state.chunks, of: state.body, as: body) { mask.body($0, type: type) }
                    ?? [[0, Double(body.utf8.count)]]
            }
            return entry
        }
    }

    private static func response(
        _ state: State, _ content: HAREntry.Content, _ mask: SecretMask
    ) -> HAREntry.Response {
        let fields = state.head?.headerFields ?? [:]
        let interim = state.interim.map {
            HAREntry.Interim(
                status: $0.status.code, statusText: $0.status.reasonPhrase, headers: mask.headers($0.headerFields))
        }
        return HAREntry.Response(
            status: state.head?.status.code ?? 0, statusText: state.head?.status.reasonPhrase ?? "",
            httpVersion: state.version, headers: mask.headers(fields), content: content,
            redirectURL: fields[.location].map { mask.url($0) } ?? "", error: state.failure,
            phase: state.phase, isUnsent: state.isUnsent, interim: interim.isEmpty ? nil : interim,
            trailers: state.trailers.isEmpty ? nil : mask.headers(state.trailers))
    }

    /// The pieces of a body with the lengths that they have after masking; `nil` if a secret lies in two pieces.
    private static func chunks(
        _ chunks: [[Double]], of body: [UInt8], as masked: String, mask: (String) -> String
    ) -> [[Double]]? {
        var (rest, text, result) = (body[...], "", [[Double]]())
        for chunk in chunks {
            guard let piece = String(validating: rest.prefix(Int(chunk[1])), as: UTF8.self).map(mask) else {
                return nil
            }
            rest = rest.dropFirst(Int(chunk[1]))
            text += piece
            result.append([chunk[0], Double(piece.utf8.count)])
        }
        return text == masked ? result : nil
    }

    private func timings(_ state: State, _ end: Instant) -> HAREntry.Timings {
        var (timings, last) = (HAREntry.Timings(), state.began)
        func span(_ mark: Mark) -> Double {
            guard let end = state.marks[mark] else { return -1 }
            defer { last = end }
            return Self.milliseconds(last, end)
        }
        timings.blocked = span(.admitted)
        timings.dns = span(.resolved)
        timings.connect = span(.connected)
        timings.ssl = span(.secured)
        // In HAR, the time for connecting contains the handshake.
        if timings.ssl >= 0 { timings.connect = max(0, timings.connect) + timings.ssl }
        timings.send = max(0, span(.sent))
        let head = state.headAt ?? end
        timings.wait = Self.milliseconds(last, head)
        timings.receive = Self.milliseconds(head, end)
        return timings
    }
}
