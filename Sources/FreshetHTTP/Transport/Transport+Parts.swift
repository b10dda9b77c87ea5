public import FreshetCore

extension Transport {
    /// The transfer of `request` as a stream. Each subscription starts a transfer, disposing cancels it, and pausing stops
    /// reading from the network. Parts come in the order in which a ``TransferReceiver`` gets them. A failure is an
    /// ``HTTPClientError``.
    ///
    /// - Parameters:
    ///   - request: the request that is sent, if `prepare` does not change it.
    ///   - prepare: makes the request final when its turn has come; see ``TransferReceiver/prepare(_:)``.
    @preconcurrency
    public func parts(
        _ request: Request, preparedBy prepare: (@Sendable (inout Request) -> Adaptation)? = nil
    ) -> Observable<ResponsePart> {
        .create(
            { PartsSource(transfer: transfer(request, to: PartsReceiver($0, above: nil, prepare))) },
            start: { $0.transfer.start() })
    }

    /// The same for a layer that works for `receiver`, which makes the request final and receives the final request. The parts go
    /// to the observer alone.
    public func parts(_ request: Request, for receiver: any TransferReceiver) -> Observable<ResponsePart> {
        .create(
            {
                PartsSource(
                    transfer: transfer(request, to: PartsReceiver($0, above: receiver) { receiver.prepare(&$0) }))
            }, start: { $0.transfer.start() })
    }
}

private struct PartsSource: Pausable {
    let transfer: any Transfer

    func dispose() { transfer.dispose() }
    func pause() { transfer.pause() }
    func resume() { transfer.resume() }
}

/// Passes the parts of a transfer on to an observer.
private final class PartsReceiver: TransferReceiver {
    private let observer: AnyObserver<ResponsePart>
    /// The receiver for which a layer works; it does not receive the parts.
    private let above: (any TransferReceiver)?
    private let prepare: (@Sendable (inout Request) -> Adaptation)?

    init(
        _ observer: AnyObserver<ResponsePart>, above: (any TransferReceiver)?,
        _ prepare: (@Sendable (inout Request) -> Adaptation)?
    ) {
        self.observer = observer
        self.above = above
        self.prepare = prepare
    }

    func prepare(_ request: inout Request) -> Adaptation { prepare?(&request) ?? .ready }
    func account(of request: Request) -> AccountResolution { above?.account(of: request) ?? .unstated }
    func willSend(_ request: Request) { above?.willSend(request) }
    func receive(_ part: consuming ResponsePart) { observer.onNext(part) }

    func receiveEnd(_ failure: (any Error)?) {
        if let failure { observer.onError(failure) } else { observer.onCompleted() }
    }
}
