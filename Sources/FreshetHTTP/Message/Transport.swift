public import FreshetCore
public import HTTPTypes

/// What carries requests: the seam between the client and the network.
///
/// Redirects, retries, authentication and event streams stand on this protocol alone, and are tested on
/// a stub of it with virtual time.
public protocol Transport: Sendable {
    /// Sends `request` when somebody subscribes, and streams the answer.
    ///
    /// Parts come in the order events… head (events, body, trailers)…, then completion; a failure is an
    /// ``HTTPClientError``. Any status is an answer. Redirects are not followed, retries not made. Disposing of the
    /// subscription cancels the transfer in any phase; pausing it stops reading from the network.
    func send(_ request: Request) -> Observable<ResponsePart>

    /// The same, with the request made final by `prepare` once its turn has come, so that one that had to queue does not
    /// go out with a credential that was replaced meanwhile.
    ///
    /// A request for which `prepare` has to wait gives its turn back and is first in line afterwards; if it stands in the
    /// queue once more, it is asked again, a few times at most. If `prepare` fails, so does the stream. The first part after that is the phase `admitted`. By default, which
    /// is right without a queue, `prepare` is asked at the start.
    func send(
        _ request: Request, preparedBy prepare: @escaping @Sendable (Request) -> Single<Request>
    ) -> Observable<ResponsePart>
}

extension Transport {
    public func send(
        _ request: Request, preparedBy prepare: @escaping @Sendable (Request) -> Single<Request>
    ) -> Observable<ResponsePart> {
        Observable.deferred { prepare(request).asObservable() }
            .flatMap { self.send($0).startWith(.phase(.admitted)) }
    }
}

/// What hands the parts of an answer to an object: what a stream of them says, without the stream.
package protocol DirectTransport: AnyObject, Sendable {
    /// A transfer that begins with ``DirectTransfer/begin()``. As in `send(_:preparedBy:)`, the receiver makes the request
    /// final; it may also get the end before it has said what the request is.
    ///
    /// - Parameters:
    ///   - options: those of the transfer, whatever the request says.
    ///   - number: the receiver's own, to tell its transfers apart.
    func transfer(
        _ request: Request, options: TransferOptions, number: Int, to receiver: any TransferReceiver
    ) -> any DirectTransfer

    /// Has `work`, which sends `request`, run where transfers do.
    ///
    /// - Returns: whether it will be; not if that is here, or nowhere any more.
    func carry(_ work: any LoopWork, for request: Request) -> Bool
}

package protocol DirectTransfer: Pausable, AnyObject {
    func begin()
}

/// Takes what comes of transfers: for each the parts, serially, and the end once, nothing after it was disposed of.
package protocol TransferReceiver: AnyObject, Sendable {
    /// Makes `request` final, or returns what it will be, where that has to be waited for.
    func prepare(_ request: inout Request, for number: Int) -> Single<Request>?
    func take(_ part: consuming ResponsePart, of number: Int)
    /// How long a body may be that is handed over in one piece, at its end; 0 if what has come is wanted at once. Asked when
    /// the head has been taken.
    func wholeBodyLimit(of number: Int) -> Int
    func end(_ failure: (any Error)?, of number: Int)
}

extension TransferReceiver {
    package func wholeBodyLimit(of number: Int) -> Int { 0 }
}

/// A piece of an answer, or of the way to it.
public enum ResponsePart: Sendable {
    /// The transfer has reached a phase.
    case phase(TransferPhase)
    /// So much of the request's body, in all, has been handed to the network, of as much as it has where that is known. Told
    /// of bodies that are streamed, and of large ones, once a piece.
    case sent(bytes: Int, of: Int?)
    /// The head of an interim answer (1xx).
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
