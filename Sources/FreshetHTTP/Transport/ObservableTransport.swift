public import FreshetCore

/// A transport made of streams: a closure returns the parts of the response to each request.
///
///     let transport = ObservableTransport { request in
///         .of(.head(HTTPResponse(status: .ok)), .body(Array(request.url.path.utf8)))
///     }
///
/// The closure gets the request in its final form, or with ``init(unprepared:)`` as the layer above passed it. Disposing of the
/// transfer disposes of the subscription, and pausing the transfer pauses the subscription. The phase ``TransferPhase/admitted``
/// comes before the elements of the stream.
public struct ObservableTransport: Transport {
    private let parts: @Sendable (Request, any TransferReceiver) -> Observable<ResponsePart>

    @preconcurrency
    public init(_ parts: @escaping @Sendable (Request) -> Observable<ResponsePart>) {
        self.init(unprepared: { request, receiver in
            request.prepared(by: receiver).asObservable().flatMap { request in
                receiver.willSend(request)
                return parts(request).startWith(.phase(.admitted))
            }
        })
    }

    /// A transport, or a layer, that decides itself when a request becomes final: the closure gets the receiver too, which it
    /// asks to prepare the request, or passes to the transport below with ``Transport/parts(_:for:)``.
    @preconcurrency
    public init(
        unprepared parts: @escaping @Sendable (Request, any TransferReceiver) -> Observable<ResponsePart>
    ) {
        self.parts = parts
    }

    public func transfer(_ request: Request, to receiver: any TransferReceiver) -> any Transfer {
        ObservableTransfer(request, to: receiver, parts)
    }
}

/// A subscription to a stream of parts.
private final class ObservableTransfer: Transfer {
    private let request: Request
    private let receiver: any TransferReceiver
    private let parts: @Sendable (Request, any TransferReceiver) -> Observable<ResponsePart>
    private let subscription = SingleAssignmentDisposable()

    init(
        _ request: Request, to receiver: any TransferReceiver,
        _ parts: @escaping @Sendable (Request, any TransferReceiver) -> Observable<ResponsePart>
    ) {
        self.request = request
        self.receiver = receiver
        self.parts = parts
    }

    func start() {
        if subscription.isDisposed { return }
        subscription.setDisposable(
            parts(request, receiver).subscribe { [receiver] event in
                switch event {
                case .next(let part): receiver.receive(part)
                case .error(let error): receiver.receiveEnd(error)
                case .completed: receiver.receiveEnd(nil)
                }
            })
    }

    func dispose() { subscription.dispose() }
    func pause() { subscription.pause() }
    func resume() { subscription.resume() }
}

extension Request {
    /// Emits the request after `receiver` has prepared it, for layers, and for transports in which nothing queues.
    public func prepared(by receiver: any TransferReceiver) -> Single<Request> {
        .deferred {
            var request = self
            return switch receiver.prepare(&request) {
            case .ready: .just(request)
            case .waiting(let prepared): prepared
            }
        }
    }
}
