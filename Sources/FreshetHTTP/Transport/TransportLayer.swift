/// A transport over a transport: it can respond by itself, hold a request back, repeat it, or change what comes.
///
///     struct RequestID: TransportLayer {
///         func over(_ transport: any Transport) -> any Transport {
///             ObservableTransport { request in
///                 var request = request
///                 request.headers[.init("X-Request-ID")!] = makeID()
///                 return transport.parts(request)
///             }
///         }
///     }
///
/// A layer sees each transfer: each attempt of a request and each hop of a redirect, after the adapters if it asks the
/// receiver to prepare the request, as `ObservableTransport` does. It passes pause and resume through. OkHttp calls layers
/// network interceptors. See ``HTTPClient/init(transport:scheduler:layers:interceptors:configuration:)``.
public protocol TransportLayer: Sendable {
    /// Called once for a client, when it is made.
    func over(_ transport: any Transport) -> any Transport
}
