/// A transport over another transport. It can respond by itself, delay a request, repeat it, or change the response.
///
///     struct RequestID: TransportLayer {
///         func wrapping(_ transport: any Transport) -> any Transport {
///             ObservableTransport { request in
///                 var request = request
///                 request.headers[.init("X-Request-ID")!] = makeID()
///                 return transport.parts(request)
///             }
///         }
///     }
///
/// A layer sees each transfer: each attempt of a request and each hop of a redirect. It sees the request after the adapters if
/// it asks the receiver to prepare the request, as `ObservableTransport` does. A layer has to pass pause and resume through.
/// OkHttp calls layers network interceptors. See ``HTTPClient/init(transport:scheduler:layers:interceptors:configuration:)``.
public protocol TransportLayer: Sendable {
    /// Makes the transport of the layer. The client calls this once, when it is made.
    func wrapping(_ transport: any Transport) -> any Transport
}
