import FreshetCore

/// Any transport as one that needs no streams: each transfer is a subscription.
final class StreamedTransport: DirectTransport {
    private let transport: any Transport

    init(_ transport: any Transport) {
        self.transport = transport
    }

    func transfer(
        _ request: Request, options: TransferOptions, number: Int, to receiver: any TransferReceiver
    ) -> any DirectTransfer {
        let parts = transport.send(request.withTransfer(options)) { request in
            var request = request
            return receiver.prepare(&request, for: number) ?? .just(request)
        }
        return StreamedTransfer(parts, number: number, to: receiver)
    }

    func carry(_ work: any LoopWork, for request: Request) -> Bool { false }
}

private final class StreamedTransfer: DirectTransfer {
    private let parts: Observable<ResponsePart>
    private let number: Int
    private let receiver: any TransferReceiver
    private let subscription = SingleAssignmentDisposable()

    init(_ parts: Observable<ResponsePart>, number: Int, to receiver: any TransferReceiver) {
        self.parts = parts
        self.number = number
        self.receiver = receiver
    }

    func begin() {
        if subscription.isDisposed { return }
        subscription.setDisposable(
            parts.subscribe { [receiver, number] event in
                switch event {
                case .next(let part): receiver.take(part, of: number)
                case .error(let error): receiver.end(error, of: number)
                case .completed: receiver.end(nil, of: number)
                }
            })
    }

    func dispose() { subscription.dispose() }
    func pause() { subscription.pause() }
    func resume() { subscription.resume() }
}
