import CFreshetCurl
public import FreshetCore
public import FreshetHTTP
public import FreshetLoop

/// Carries requests with libcurl on a loop: HTTP/1.1, and HTTP/2 where TLS offers it.
///
/// Everything is delivered on the loop's thread. Who is there already stays there; from other threads a burst of
/// requests is one wake-up. It ends with ``shutdown()`` or with its loop, and then each transfer fails with
/// `cancelled`.
public final class CurlTransport: Transport {
    public let configuration: Configuration
    // On the loop's side.
    let pool: CurlPool

    /// A transport on one loop, with connections of its own.
    ///
    /// - Parameters:
    ///   - loop: runs everything; ends the transport too when it is shut down.
    ///   - configuration: what holds for all connections.
    public init(loop: Loop, configuration: Configuration = Configuration()) {
        Self.initialiseLibrary
        self.configuration = configuration
        pool = CurlPool(on: loop, configuration: configuration)
    }

    deinit { pool.submit(.shutdown) }

    private static let initialiseLibrary: Void = {
        _ = CurlMemory.isOurs
    }()

    /// See `Transport`. What the request can't say, such as a header with CR or LF, fails with `invalidRequest`.
    public func send(_ request: Request) -> Observable<ResponsePart> {
        stream(request, preparedBy: nil)
    }

    public func send(
        _ request: Request, preparedBy prepare: @escaping @Sendable (Request) -> Single<Request>
    ) -> Observable<ResponsePart> {
        stream(request, preparedBy: prepare)
    }

    private func stream(
        _ request: Request, preparedBy prepare: (@Sendable (Request) -> Single<Request>)?
    ) -> Observable<ResponsePart> {
        .create(
            { [options = request.transfer ?? TransferOptions()] in
                CurlTransfer(request, options, transport: self, number: 0, to: StreamReceiver($0, prepare))
            },
            start: { $0.begin() })
    }

    /// How busy the transport is; readable from any thread at no cost to the loop.
    public var gauges: ConnectionGauges { pool.gauges.reading }

    /// The same for each origin that has something now, looked up on the loop; empty after its end.
    public func gaugesByOrigin() -> Single<[Origin: ConnectionGauges]> {
        .create { [pool] answer in
            let isTaken = pool.loop.execute {
                var readings: [Origin: ConnectionGauges] = [:]
                pool.ordinary.add(to: &readings)
                pool.longLived.add(to: &readings)
                answer(.success(readings))
            }
            if !isTaken { answer(.success([:])) }
            return Disposables.create()
        }
    }

    /// Ends every transfer with `cancelled`, closes all connections, and refuses what comes after. Can be called again.
    /// It waits for its end, but not when called on the loop, where that may come a moment later.
    public func shutdown() {
        pool.shutdown()
    }
}

extension CurlTransport: DirectTransport {
    package func transfer(
        _ request: Request, options: TransferOptions, number: Int, to receiver: any TransferReceiver
    ) -> any DirectTransfer {
        CurlTransfer(request, options, transport: self, number: number, to: receiver)
    }

    package func carry(_ work: any LoopWork, for request: Request) -> Bool {
        // Held by the pool.
        lent(pool.loop) { !$0.isCurrent && $0.execute(work) }
    }
}

/// Makes a stream of a transfer.
private final class StreamReceiver: TransferReceiver {
    private let observer: AnyObserver<ResponsePart>
    private let prepare: (@Sendable (Request) -> Single<Request>)?

    init(_ observer: AnyObserver<ResponsePart>, _ prepare: (@Sendable (Request) -> Single<Request>)?) {
        self.observer = observer
        self.prepare = prepare
    }

    func prepare(_ request: inout Request, for number: Int) -> Single<Request>? { prepare?(request) }
    func take(_ part: consuming ResponsePart, of number: Int) { observer.onNext(part) }

    func end(_ failure: (any Error)?, of number: Int) {
        if let failure { observer.onError(failure) } else { observer.onCompleted() }
    }
}
