import CFreshetCurl
public import FreshetCore
public import FreshetHTTP
public import FreshetLoop

/// Carries requests with libcurl on a loop: HTTP/1.1, and HTTP/2 where TLS offers it.
///
/// Everything is delivered on the loop's thread. A request from that thread stays on it; a burst of requests from another
/// thread is one wake-up. It ends with ``shutdown()`` or with its loop, and then each transfer fails with
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
        CurlLibrary.start()
        self.configuration = configuration
        pool = CurlPool(on: loop, configuration: configuration)
    }

    deinit { pool.submit(.shutdown) }

    /// See `Transport`. A request that HTTP cannot express, such as one with CR or LF in a header, fails with `invalidRequest`.
    public func transfer(_ request: Request, to receiver: any TransferReceiver) -> any Transfer {
        CurlTransfer(request, request.transfer ?? TransferOptions(), transport: self, to: receiver)
    }

    /// How busy the transport is; readable from any thread at no cost to the loop.
    public var gauges: ConnectionGauges { pool.gauges.reading }

    /// The same for each origin that has something now, looked up on the loop; empty after its end.
    public func gaugesByOrigin() -> Single<[Origin: ConnectionGauges]> {
        .create { [pool] response in
            let isTaken = pool.loop.execute {
                response(.success(pool.state.admission.readings()))
            }
            if !isTaken { response(.success([:])) }
            return Disposables.create()
        }
    }

    /// Ends every transfer with `cancelled`, closes all connections, and refuses what comes after. Can be called again.
    /// It waits for its end, but not when called on the loop, where that may come a moment later.
    public func shutdown() {
        pool.shutdown()
    }
}
