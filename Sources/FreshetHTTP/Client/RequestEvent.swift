public import HTTPTypes

/// An event of one request. A request *is* the stream of its events, in order; everything else is an operator on that stream.
///
/// Rare and large values are held by reference: every event is as large as the largest case, and each event is passed on many
/// times.
public enum RequestEvent: Sendable {
    /// An attempt begins, with the request as it goes on the wire, after all adapters. A redirect is not an attempt.
    case attempt(number: Int, request: Request)
    /// The attempt has reached a phase of its transfer.
    case phase(TransferPhase)
    /// How many bytes of the attempt's body have been handed to the network so far, and the length of the body if it is known.
    /// Reported for bodies that are streamed and for large ones, once per piece; see `uploadProgress()`.
    case sent(bytes: Int, of: Int?)
    /// An interim response (1xx) has arrived.
    case informational(HTTPResponse)
    /// The response is a redirect, and the client follows it.
    indirect case redirect(status: HTTPResponse.Status, to: RequestURL)
    /// The attempt has failed, and the client retries after this delay.
    indirect case retry(after: Duration, dueTo: Attempt.Outcome)
    /// The head of the response that the client delivers.
    case head(HTTPResponse, url: RequestURL)
    /// The next bytes of the response's body.
    case body([UInt8])
    case trailers(HTTPFields)
    /// The credential that the request went out with has expired or was replaced; the response continues. Reported for requests
    /// with long-lived responses, because their callers may want to send the request again; see
    /// ``TransferOptions/isLongLived``.
    case credentialChanged(CredentialChange)
    /// The request has ended well; no event follows.
    indirect case finished(RequestTimings)
}

extension RequestEvent {
    /// Makes the event for any part but a head.
    init?(_ part: ResponsePart) {
        switch part {
        case .phase(let phase): self = .phase(phase)
        case .sent(let bytes, let total): self = .sent(bytes: bytes, of: total)
        case .informational(let head): self = .informational(head)
        case .body(let bytes): self = .body(bytes)
        case .trailers(let fields): self = .trailers(fields)
        case .head: return nil
        }
    }
}
