import FreshetCore
import FreshetHTTP
import HTTPTypes

/// The response of an entry, with its pauses.
struct PlayedResponse: Sendable {
    private let entry: HAREntry
    private let speed: Double
    private let scheduler: any SchedulerType

    /// - Parameter speed: how many times faster the response is played; 0 plays it at once.
    init(_ entry: HAREntry, _ speed: Double, _ scheduler: any SchedulerType) {
        self.entry = entry
        self.speed = speed
        self.scheduler = scheduler
    }

    var parts: Observable<ResponsePart> {
        let head = Observable<ResponsePart>.just(.head(self.head))
        let pieces = Observable.from(self.pieces).concatMap { [scheduler] wait, bytes -> Observable<ResponsePart> in
            let piece = Observable<ResponsePart>.just(.body(bytes))
            return wait > .zero ? piece.delaySubscription(wait, scheduler: scheduler) : piece
        }
        let start = Observable<ResponsePart>.from([.phase(.admitted)] + interim)
        let whole = entry.response.status > 0 ? start.concat(head).concat(pieces).concat(trailers) : start
        // The caller leaves again, or its timeout ends the request again.
        if entry.wasLeft { return whole.concat(Observable<ResponsePart>.never()) }
        let isComplete = entry.response.status > 0 && entry.response.error == nil
        return isComplete ? whole : whole.concat(Observable<ResponsePart>.error(failure))
    }

    private var interim: [ResponsePart] {
        (entry.response.interim ?? []).map { interim in
            let status = HTTPResponse.Status(code: interim.status, reasonPhrase: interim.statusText)
            return .informational(HTTPResponse(status: status, headerFields: Self.fields(interim.headers)))
        }
    }

    private var trailers: Observable<ResponsePart> {
        guard let trailers = entry.response.trailers else { return .empty() }
        return .just(.trailers(Self.fields(trailers)))
    }

    private var head: HTTPResponse {
        var fields = Self.fields(entry.response.headers)
        // A masked body has another length.
        let size = entry.body.count
        if fields.contains(.contentLength), size > 0, entry.response.error == nil { fields[.contentLength] = "\(size)" }
        return HTTPResponse(
            status: .init(code: entry.response.status, reasonPhrase: entry.response.statusText), headerFields: fields)
    }

    private static func fields(_ pairs: [HAREntry.Pair]) -> HTTPFields {
        var fields = HTTPFields()
        for pair in pairs {
            if let name = HTTPField.Name(pair.name) { fields.append(HTTPField(name: name, value: pair.value)) }
        }
        return fields
    }

    /// The pieces of the body, each with the time since the piece before it.
    private var pieces: [(Duration, [UInt8])] {
        var (rest, last, pieces) = (entry.body[...], 0.0, [(Duration, [UInt8])]())
        for chunk in entry.chunks ?? [] where chunk.count == 2 && chunk[1] > 0 && !rest.isEmpty {
            let bytes = Array(rest.prefix(Int(min(chunk[1], Double(rest.count)))))
            rest = rest.dropFirst(bytes.count)
            pieces.append((wait(chunk[0] - last), bytes))
            last = chunk[0]
        }
        if !rest.isEmpty { pieces.append((.zero, Array(rest))) }
        return pieces
    }

    private func wait(_ milliseconds: Double) -> Duration {
        // A file can contain any number, and a duration has a largest one.
        speed > 0 ? .milliseconds(min(max(0, milliseconds) / speed, 1e12)) : .zero
    }

    private var failure: HTTPClientError {
        let code = entry.response.error.flatMap { HTTPClientError.Code(rawValue: $0) } ?? .connectionLost
        let phase = entry.response.phase.flatMap { HTTPClientError.Phase(rawValue: $0) }
        return HTTPClientError(
            code, phase: phase ?? (entry.response.status > 0 ? .receiving : .waiting),
            message: code == .tooLarge
                ? "the recording has only the first \(RecordedBody.limit >> 20) MiB of the response"
                : "the request failed when it was recorded",
            recoverySuggestion: "record it anew", isUnsent: entry.response.isUnsent ?? false)
    }
}
