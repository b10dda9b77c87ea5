import FreshetHTTP
import HTTPTypes

extension EventSource.Signal: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A description without the contents of events and comments, which may be secret.
    public var description: String {
        switch self {
        case .connecting: "connecting"
        case .open(let head): "open(\(head.status.code))"
        case .event(let event): "event(\(event.type), \(event.data.utf8.count) bytes)"
        case .comment(let text): "comment(\(text.utf8.count) bytes)"
        case .reconnecting(let delay, let reason): "reconnecting(after \(delay), \(reason))"
        case .closed: "closed"
        }
    }

    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["signal": description]) }
}

extension EventSource.Reason: CustomStringConvertible {
    public var description: String {
        switch self {
        case .ended: "ended"
        case .failed(let error): (error as? HTTPClientError)?.description ?? "failed"
        case .credentialChanged: "credential changed"
        }
    }
}
