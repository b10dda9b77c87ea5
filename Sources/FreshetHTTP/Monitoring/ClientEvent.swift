public import FreshetCore
public import HTTPTypes

/// Something that happened to one of a client's requests; what a ``ClientMonitor`` is told.
public struct ClientEvent: Sendable {
    /// What happened. Each request has one `started`, and one of `finished`, `failed` and `cancelled` as its last.
    public enum Kind: Sendable {
        /// Somebody has subscribed; on that thread, in that task.
        case started
        /// It waits for its turn: for each attempt, and each hop of a redirect.
        case queued
        /// The transfer has reached a phase.
        case phase(TransferPhase)
        /// An interim answer (1xx) has come.
        case informational(HTTPResponse)
        /// The head of an answer has come, of one that is not delivered too.
        case head(HTTPResponse)
        /// The credential that the request went out with is the newest no more.
        case credentialChanged(CredentialChange)
        /// One time on the wire is over, well or not.
        case exchanged(Exchange)
        /// The answer points elsewhere, and the request goes there.
        case redirect(status: HTTPResponse.Status, to: RequestURL)
        /// Another attempt follows, after `delay`: also the replay of a request whose credential was refreshed.
        case retry(after: Duration, dueTo: Attempt.Outcome)
        /// The answer was delivered.
        case finished(RequestTimings)
        case failed(any Error, RequestTimings)
        /// The subscriber has left.
        case cancelled(RequestTimings)
    }

    /// The same for all events of a request, and in this process for those of no other.
    public let id: RequestID
    /// The attempt's number, from 1; 0 before the first.
    public let attempt: Int
    /// By the client's clock.
    public let instant: Instant
    /// As it goes on the wire, once that is known; before, as the caller gave it. With the notes that monitors made on it.
    public let request: Request
    /// Of the last answer that came, of one that is not delivered too.
    public let status: HTTPResponse.Status?
    public let kind: Kind
}

/// A request of this process, counted from 1.
public struct RequestID: Sendable, Hashable, CustomStringConvertible {
    public let rawValue: UInt64

    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    public var description: String { String(rawValue) }
}

extension ClientEvent: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    // As elsewhere, no field's value, no query and no body.
    public var description: String { "request \(id), attempt \(attempt), \(request): \(kind)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["event": description]) }
}

extension ClientEvent.Kind: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String {
        switch self {
        case .started: "started"
        case .queued: "queued"
        case .phase(let phase): "phase(\(phase))"
        case .informational(let head): "informational(\(head.status.code))"
        case .head(let head): "head(\(head.status.code))"
        case .credentialChanged(let change): "credentialChanged(\(change))"
        case .exchanged(let exchange): "exchanged(\(exchange))"
        case .redirect(let status, let url): "redirect(\(status.code), \(url))"
        case .retry(let delay, let outcome): "retry(after \(delay), \(outcome))"
        case .finished: "finished"
        case .failed(let error, _): "failed(\(error.safeDescription))"
        case .cancelled: "cancelled"
        }
    }

    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["kind": description]) }
}

extension Error {
    /// What may be printed of it: of an error that is not ours, which may hold anything, the type alone.
    package var safeDescription: String {
        (self as? HTTPClientError)?.description ?? String(describing: type(of: self))
    }
}
