public import FreshetCore

/// What carries requests: the seam between the client and the network, and the only one.
///
/// Redirects, retries, authentication and event streams stand on this protocol alone, so they are tested on a stub of it
/// with virtual time. A transport does not follow redirects, repeats nothing, and reports every status as a response.
///
/// ``Transport/parts(_:preparedBy:)`` is a transfer as a stream, and ``ObservableTransport`` makes a transport of streams.
public protocol Transport: Sendable {
    /// Makes a transfer of `request`, which ``Transfer/start()`` begins.
    ///
    /// The limits are those of ``Request/transfer``; `nil` stands for the defaults of ``TransferOptions``.
    ///
    /// - Parameters:
    ///   - request: as it is before ``TransferReceiver/prepare(_:)`` has made it final.
    ///   - receiver: makes the request final, and gets the response. The transfer holds it.
    func transfer(_ request: Request, to receiver: any TransferReceiver) -> any Transfer
}

/// One request on its way to the wire, and its response. Can be used from any thread.
///
/// `dispose` cancels it in any phase, before the start too; its receiver may hear of a part that is under way on another
/// thread, and hears nothing after that. `pause` stops reading from the network until `resume`.
public protocol Transfer: Pausable, AnyObject {
    /// Begins. Called once at most; parts may arrive within the call.
    func start()
}

/// Gets what comes of one transfer: calls are serial, and come on the transport's thread.
///
/// The order is ``prepare(_:)``, ``willSend(_:)``, parts, ``receiveEnd(_:)``. After the end, or after the transfer was
/// disposed of, nothing comes.
public protocol TransferReceiver: AnyObject, Sendable {
    /// Makes `request` final, now that its turn has come: one that had to queue does not go out with a credential that was
    /// replaced meanwhile.
    ///
    /// A request for which the receiver has to wait gives its turn back and is first in line afterwards. If it stands in the
    /// queue once more, it is asked about again, a few times at most, each time as it was given to the transport. If the wait
    /// fails, so does the transfer.
    func prepare(_ request: inout Request) -> Adaptation

    /// The request goes out like this, with whatever `prepare` has put on it; a layer that serves several receivers with one
    /// transfer tells each of them. Called again if the request had to queue once more before anything of it was sent; the
    /// last call counts. A transport that responds without sending anything may leave it out.
    func willSend(_ request: Request)

    /// The next part: events, head, events and body, trailers.
    func receive(_ part: consuming ResponsePart)

    /// The end: the response is complete, or `failure`, an ``HTTPClientError`` as a rule, has ended it. Called once; it can
    /// come before everything else.
    func receiveEnd(_ failure: (any Error)?)
}
