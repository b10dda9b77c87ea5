import CFreshetCurl
public import FreshetCore
public import FreshetHTTP
public import FreshetLoop

/// Carries requests with libcurl on a loop, over HTTP/1.1, and over HTTP/2 where TLS offers it.
///
/// Everything is delivered on the loop's thread. A request from that thread stays on it. A burst of requests from another
/// thread wakes the loop once. The transport ends with ``shutdown()``, or with its loop. Every transfer that runs at that
/// time fails with `cancelled`.
public final class CurlTransport: Transport {
    public let configuration: Configuration
    // The part of the transport that runs on the loop.
    let pool: CurlPool

    /// Creates a transport on one loop, with its own connections.
    ///
    /// - Parameters:
    ///   - loop: runs everything; its shutdown also ends the transport.
    ///   - configuration: the settings of all connections.
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

    /// How busy the transport is. Any thread can read it at no cost to the loop.
    public var gauges: ConnectionPoolStatistics { pool.gauges.reading }

    /// How busy the transport is with each origin that has connections or requests now. The loop looks it up. The result is
    /// empty after the end of the transport.
    public func gaugesByOrigin() -> Single<[Origin: ConnectionPoolStatistics]> {
        .create { [pool] response in
            let isTaken = pool.loop.execute {
                response(.success(pool.state.admission.readings()))
            }
            if !isTaken { response(.success([:])) }
            return Disposables.create()
        }
    }

    /// Ends every transfer with `cancelled`, closes all connections, and refuses later transfers. It can be called again.
    ///
    /// The call returns when all of that is done. A call on the loop does not wait; the end can come a moment later.
    public func shutdown() {
        pool.shutdown()
    }
}
