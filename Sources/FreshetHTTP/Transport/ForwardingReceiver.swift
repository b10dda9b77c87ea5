import FreshetCore

/// A receiver of a layer. It passes each call on to the receiver that the layer serves, except the calls that it implements.
/// The calls come as those of ``TransferReceiver``: serial, on the transport's thread.
///
///     final class LoggingReceiver: ForwardingReceiver {
///         let above: any TransferReceiver
///         …
///         func receiveEnd(_ failure: (any Error)?) {
///             log(failure)
///             above.receiveEnd(failure)
///         }
///     }
public protocol ForwardingReceiver: TransferReceiver {
    /// The receiver that the layer serves.
    var above: any TransferReceiver { get }
}

extension ForwardingReceiver {
    public func prepare(_ request: inout Request) -> Adaptation { above.prepare(&request) }
    public func account(of request: Request) -> AccountResolution { above.account(of: request) }
    public func willSend(_ request: Request) { above.willSend(request) }
    public func receive(_ part: consuming ResponsePart) { above.receive(part) }
    public func receiveEnd(_ failure: (any Error)?) { above.receiveEnd(failure) }
}
