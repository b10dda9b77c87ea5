public import FreshetCore
public import HTTPTypes

/// Something that happened to one of a client's requests. A ``ClientMonitor`` receives these events.
public struct ClientEvent: Sendable {
    /// What happened. Each request has one `started` event, and one of `finished`, `failed` and `cancelled` as its last event.
    public enum Kind: Sendable {
        /// Somebody has subscribed. This event comes on the subscriber's thread, in its task.
        case started
        /// The request waits for its turn. This event comes for each attempt, and for each hop of a redirect.
        case queued
        /// The transfer has reached a phase.
        case phase(TransferPhase)
        /// An interim response (1xx) has arrived.
        case informational(HTTPResponse)
        /// The head of a response has arrived, including a response that is not delivered.
        case head(HTTPResponse)
        /// The credential that the request went out with has expired or was replaced.
        case credentialChanged(CredentialChange)
        /// One exchange has ended, with success or without. It was on the wire if ``Exchange/wasAdmitted`` is set; a response from
        /// a cache and the error of an adapter were not.
        case exchanged(Exchange)
        /// The response is a redirect, and the client follows it.
        case redirect(status: HTTPResponse.Status, to: RequestURL)
        /// Another attempt follows after this delay, including the replay of a request whose credential was refreshed.
        case retry(after: Duration, dueTo: Attempt.Outcome)
        /// The whole response has arrived, whatever its status. A download, and a caller of `send(_:)` that validates, refuse it
        /// after this event.
        case finished(RequestTimings)
        /// The request has failed, or `validate(statusCodes:)` of its events has refused its head.
        case failed(any Error, RequestTimings)
        /// The subscriber has disposed of the subscription.
        case cancelled(RequestTimings)
    }

    /// The same for all events of one request; no other request of this process has it.
    public let id: RequestID
    /// The attempt's number, from 1; 0 before the first.
    public let attempt: Int
    /// When it happened, by the client's clock.
    public let instant: Instant
    /// The request as it is sent, once that is known; before that, as the caller gave it. It has the tags that monitors set on
    /// it.
    public let request: Request
    /// The status of the last response that arrived, including a response that is not delivered.
    public let status: HTTPResponse.Status?
    public let kind: Kind
}

/// The number of a request in this process, from 1.
public struct RequestID: Sendable, Hashable, CustomStringConvertible {
    public let rawValue: UInt64

    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    public var description: String { String(rawValue) }
}

extension ClientEvent: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    // As in other descriptions: no field's value, no query and no body.
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
    /// A description that may be printed. For an error that is not the client's, it is the type alone, because such an error
    /// may hold anything.
    package var safeDescription: String {
        (self as? HTTPClientError)?.description ?? String(describing: type(of: self))
    }
}
