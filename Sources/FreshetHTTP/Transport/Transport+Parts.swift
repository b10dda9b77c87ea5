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
            { PartsSource(transfer: transfer(request, to: PartsReceiver($0, prepare))) },
            start: { $0.transfer.start() })
    }

    /// The same for a layer that works for `receiver`, which makes the request final and receives the final request. The parts go
    /// to the observer alone.
    public func parts(_ request: Request, for receiver: any TransferReceiver) -> Observable<ResponsePart> {
        .create(
            { PartsSource(transfer: transfer(request, to: LayerReceiver($0, receiver))) },
            start: { $0.transfer.start() })
    }
}

private struct PartsSource: Pausable {
    let transfer: any Transfer

    func dispose() { transfer.dispose() }
    func pause() { transfer.pause() }
    func resume() { transfer.resume() }
}

/// Passes the parts of a transfer on to an observer, and asks another receiver about the request.
private final class LayerReceiver: TransferReceiver {
    private let observer: AnyObserver<ResponsePart>
    private let above: any TransferReceiver

    init(_ observer: AnyObserver<ResponsePart>, _ above: any TransferReceiver) {
        self.observer = observer
        self.above = above
    }

    func prepare(_ request: inout Request) -> Adaptation { above.prepare(&request) }
    func account(of request: Request) -> AccountResolution { above.account(of: request) }
    func willSend(_ request: Request) { above.willSend(request) }
    func receive(_ part: consuming ResponsePart) { observer.onNext(part) }

    func receiveEnd(_ failure: (any Error)?) {
        if let failure { observer.onError(failure) } else { observer.onCompleted() }
    }
}

/// Passes the parts of a transfer on to an observer.
private final class PartsReceiver: TransferReceiver {
    private let observer: AnyObserver<ResponsePart>
    private let prepare: (@Sendable (inout Request) -> Adaptation)?

    init(_ observer: AnyObserver<ResponsePart>, _ prepare: (@Sendable (inout Request) -> Adaptation)?) {
        self.observer = observer
        self.prepare = prepare
    }

    func prepare(_ request: inout Request) -> Adaptation { prepare?(&request) ?? .ready }
    func willSend(_ request: Request) {}
    func receive(_ part: consuming ResponsePart) { observer.onNext(part) }

    func receiveEnd(_ failure: (any Error)?) {
        if let failure { observer.onError(failure) } else { observer.onCompleted() }
    }
}
