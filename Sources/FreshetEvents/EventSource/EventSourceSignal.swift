public import HTTPTypes

extension EventSource {
    /// What happens to an event stream. Source: `readyState` of the WHATWG HTML standard, section 9.2.2, and its events.
    public enum Signal: Sendable {
        /// A connection is asked for.
        case connecting
        /// The answer has begun, with this head.
        case open(HTTPResponse)
        case event(ServerSentEvent)
        /// What servers send to show that they are there; without the colon and one space after that.
        case comment(String)
        /// There is no connection for `after`; then another is asked for.
        case reconnecting(after: Duration, dueTo: Reason)
        /// It is over; completion or the error follows.
        case closed
    }

    /// Why a connection is made again.
    public enum Reason: Sendable {
        /// The server ended the answer.
        case ended
        /// The connection could not be made or was lost, or nothing came on it for too long.
        case failed(any Error)
        /// The credential under which it was opened has ended; see ``Settings/reopening-swift.property``.
        case credentialChanged
    }
}
