public import FreshetCore
public import HTTPTypes

extension EventSource {
    /// Something that happens to an event stream. Source: `readyState` of the WHATWG HTML standard, section 9.2.2, and its
    /// events.
    public enum Signal: Sendable {
        /// The stream requests a connection.
        case connecting
        /// The response has begun, with this head.
        case open(HTTPResponse)
        case event(ServerSentEvent)
        /// A comment, without the colon and one space after it. Servers send comments to show that they are alive.
        case comment(String)
        /// There is no connection for this time; then the stream requests another one. The time goes on while the observer pauses,
        /// so a signal that is delivered at the resume can name a time that is over.
        case reconnecting(after: Duration, dueTo: Reason)
        /// The stream is over; completion or the error follows.
        case closed
    }

    /// Why a connection is made again.
    public enum Reason: Sendable {
        /// The server ended the response.
        case ended
        /// The connection could not be made or was lost, nothing arrived on it for too long, or there was another error that
        /// ``Settings/isTransient-swift.property`` accepts.
        case failed(any Error)
        /// The credential under which the stream was opened has expired or was replaced; see
        /// ``Settings/reopening-swift.property``.
        case credentialChanged
    }
}

extension ObservableType where Element == EventSource.Signal {
    /// Emits the events among the signals.
    public func events() -> Observable<ServerSentEvent> {
        compactMap { if case .event(let event) = $0 { event } else { nil } }
    }
}
