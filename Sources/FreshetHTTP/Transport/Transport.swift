public import FreshetCore

/// Carries requests. It is the only interface between the client and the network.
///
/// Redirects, retries, authentication and event streams use this protocol alone, so they are tested on a stub of it with
/// virtual time. A transport does not follow redirects, repeats nothing, and reports every status as a response.
///
/// ``Transport/parts(_:preparedBy:)`` gives a transfer as a stream, and ``ObservableTransport`` makes a transport from streams.
public protocol Transport: Sendable {
    /// Makes a transfer of `request`, which ``Transfer/start()`` begins.
    ///
    /// The limits are those of ``Request/transfer``; `nil` stands for the defaults of ``TransferOptions``.
    ///
    /// - Parameters:
    ///   - request: the request before ``TransferReceiver/prepare(_:)`` has made it final.
    ///   - receiver: makes the request final, and receives the response. The transfer retains it.
    func transfer(_ request: Request, to receiver: any TransferReceiver) -> any Transfer
}

/// One request on its way to the wire, and its response. Any thread can use it.
///
/// `dispose` cancels the transfer in any phase, even before its start. The receiver may still get a part that is on its way on
/// another thread, and gets nothing after that. `pause` stops reading from the network until `resume`.
public protocol Transfer: Pausable, AnyObject {
    /// Starts the transfer. It is called at most once; parts may arrive within the call.
    func start()
}

/// Receives the events of one transfer. Calls are serial, and come on the transport's thread.
///
/// The order is ``prepare(_:)``, ``willSend(_:)``, parts, ``receiveEnd(_:)``. Nothing comes after the end, or after the
/// transfer was disposed of.
public protocol TransferReceiver: AnyObject, Sendable {
    /// Makes `request` final when the transport admits it. So a request that had to queue is not sent with a credential that was
    /// replaced in the meantime.
    ///
    /// If the receiver has to wait for something, the request gives its turn to others, and is first in line afterwards. If the
    /// request has to queue once more, this is called again, a few times at most, each time with the request as the transport
    /// got it. If the wait fails, the transfer fails.
    func prepare(_ request: inout Request) -> Adaptation

    /// The account of the request, for a layer that stores or shares responses. A layer asks before it responds by itself, and
    /// again with the request that ``prepare(_:)`` has made final, because the account can have changed in the meantime.
    func account(of request: Request) -> AccountResolution

    /// Reports the request as it is sent, with the changes that `prepare` has made. A layer that serves several receivers with
    /// one transfer calls this for each of them.
    ///
    /// The transport calls this again if the request had to queue once more before any of it was sent; the last call counts. A
    /// transport that responds without sending anything may omit the call.
    func willSend(_ request: Request)

    /// Receives the next part. The order is: events, head, events and body, trailers.
    func receive(_ part: consuming ResponsePart)

    /// The transfer has ended: the response is complete, or `failure`, usually an ``HTTPClientError``, has ended it. This is
    /// called once, and can come before everything else.
    func receiveEnd(_ failure: (any Error)?)
}

extension TransferReceiver {
    public func account(of request: Request) -> AccountResolution { .unstated }
}
