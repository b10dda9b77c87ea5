public import HTTPTypes

/// A piece of a response, or of the way to it.
public enum ResponsePart: Sendable {
    /// The transfer has reached a phase.
    case phase(TransferPhase)
    /// So much of the request's body, in all, has been handed to the network, of as much as it has where that is known. Told
    /// of bodies that are streamed, and of large ones, once a piece.
    case sent(bytes: Int, of: Int?)
    /// The head of an interim response (1xx).
    case informational(HTTPResponse)
    case head(HTTPResponse)
    /// The next bytes of the body, decoded.
    case body([UInt8])
    case trailers(HTTPFields)
}

/// A step on the way of a transfer that somebody may want to watch.
public enum TransferPhase: Sendable, Hashable {
    /// It has its place among the connections' limits; before, it was queued.
    case admitted
    /// The addresses of the host, or of the proxy that is asked, are known; a new connection is made to one of them.
    case resolved(host: String, addresses: [String])
    case connected(address: String, reused: Bool)
    case secured(protocol: String)
    case requestSent(bytes: Int)
}
