public import HTTPTypes

/// A part of a response, or a step on the way to it.
public enum ResponsePart: Sendable {
    /// The transfer has reached a phase.
    case phase(TransferPhase)
    /// How many bytes of the request's body have been handed to the network so far, and the length of the body if it is known.
    /// Reported for bodies that are streamed and for large ones, once per piece.
    case sent(bytes: Int, of: Int?)
    /// The head of an interim response (1xx).
    case informational(HTTPResponse)
    case head(HTTPResponse)
    /// The next bytes of the body, decoded.
    case body([UInt8])
    case trailers(HTTPFields)
}

/// A step of a transfer that a program may want to observe.
public enum TransferPhase: Sendable, Hashable {
    /// The connection limits have admitted the transfer; before that, it was queued.
    case admitted
    /// The addresses of the host, or of the proxy, are known. A new connection is made to one of them.
    case resolved(host: String, addresses: [String])
    /// There is a connection, a kept one or a new one. It comes again if the request is sent again.
    case connected(address: String, reused: Bool)
    case secured(protocol: String)
    case requestSent(bytes: Int)
    /// A cache reports where the response comes from. No other phase precedes a response that needed no request.
    indirect case cache(CacheStatus)
    /// A layer has done something to the request, such as holding it back. It comes before the head.
    indirect case layer(LayerEvent)
}
