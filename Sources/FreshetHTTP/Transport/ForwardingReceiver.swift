import FreshetCore

/// The receiver of a layer, which stands between a transfer and the receiver above. What the layer does not implement goes to the
/// receiver above.
///
///     final class SlowReceiver: ForwardingReceiver {
///         let above: any TransferReceiver
///         …
///         func receiveEnd(_ failure: (any Error)?) {
///             log(failure)
///             above.receiveEnd(failure)
///         }
///     }
public protocol ForwardingReceiver: TransferReceiver {
    var above: any TransferReceiver { get }
}

extension ForwardingReceiver {
    public func prepare(_ request: inout Request) -> Adaptation { above.prepare(&request) }
    public func account(of request: Request) -> AccountResolution { above.account(of: request) }
    public func willSend(_ request: Request) { above.willSend(request) }
    public func receive(_ part: consuming ResponsePart) { above.receive(part) }
    public func receiveEnd(_ failure: (any Error)?) { above.receiveEnd(failure) }
}
