public import HTTPTypes

/// What happens to one request, in order. A request *is* the stream of these; everything else is an operator on it.
///
/// What is rare and large is held by reference, for every event is as large as the largest, and each is handed on and on.
public enum RequestEvent: Sendable {
    /// An attempt begins, with the request as it goes on the wire, after all adapters. Redirects are no attempts.
    case attempt(number: Int, request: Request)
    /// The attempt has reached a phase of its transfer.
    case phase(TransferPhase)
    /// So much of the attempt's body, in all, has been handed to the network, of as much as it has where that is known. Told
    /// of bodies that are streamed, and of large ones, once a piece; see `uploadProgress()`.
    case sent(bytes: Int, of: Int?)
    /// An interim answer (1xx) has come.
    case informational(HTTPResponse)
    /// The answer points elsewhere, and the request goes there.
    indirect case redirect(status: HTTPResponse.Status, to: RequestURL)
    /// The attempt has failed and another follows, after `delay`.
    indirect case retry(after: Duration, dueTo: Attempt.Outcome)
    /// The head of the answer that is delivered.
    case head(HTTPResponse, url: RequestURL)
    /// The next bytes of its body.
    case body([UInt8])
    case trailers(HTTPFields)
    /// The credential that the request went out with is the newest no more; the answer goes on. Told of requests whose
    /// answers are long-lived, which may want to be asked for again; see ``TransferOptions/isLongLived``.
    case credentialChanged(CredentialChange)
    /// The end.
    indirect case finished(RequestTimings)
}

extension RequestEvent {
    /// A part that is told as it is: any but a head.
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
