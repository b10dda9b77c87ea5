public import CoreMetrics
import FreshetCore
public import FreshetHTTP
import HTTPTypes

/// Reports each request to a metrics backend, through swift-metrics and under the names of OpenTelemetry's conventions.
///
/// Each attempt and each hop of a redirect counts as a request.
///
/// - `http.client.request.duration`, a timer: the time from the admission of the request to the end of the response's
///   body. Its dimensions are `http.request.method`, `server.address`, `server.port`, and, if they are known,
///   `http.response.status_code`, `network.protocol.version` and `error.type`. The version over TLS is known for the request that
///   has opened the connection, and not for later ones. The error type is the code of an `HTTPClientError`, or the status if that
///   is 400 or above.
/// - `http.client.active_requests`, a meter: the number of admitted requests that have not ended. Its dimensions are
///   `http.request.method`, `server.address` and `server.port`.
/// - `http.client.request.body.size`, a recorder: the bytes of the body that was sent, if the request had a body.
/// - `http.client.response.body.size`, a recorder: the bytes of the response's body on the wire. It is recorded if the head of
///   the response states a length. So a chunked body is not recorded, and neither is a body that was decoded, because its size on
///   the wire is not known.
/// - `http.client.open_connections`, a meter: the number of connections, with `http.connection.state` `active` or
///   `idle`. Only a `FreshetRuntime` reports it, every ``connectionsPeriod``.
///
/// The layers have instruments of their own, with `server.address` and `server.port`:
///
/// - `freshet.layer.events`, a counter: what a layer did to requests. Its dimensions are `freshet.layer.name` (`cache`,
///   `coalescing`, `hedging`, `circuit_breaker`, `bulkhead`, `rate_limit`, `recording`) and `freshet.layer.event`
///   (`hit`, `stale`, `revalidated` and `miss` of the cache, for example, and `waited` or `refused`).
/// - `freshet.layer.wait.duration`, a timer: how long `RateLimit` has held a request back, or a layer of your own that reports a
///   duration. Its dimension is `freshet.layer.name`. `Bulkhead` has no clock, so its waits are only counted.
///
/// A response that a cache serves without a request counts in these two instruments alone. One that a cache has validated counts as
/// the 304 that the server has sent. All of OpenTelemetry's instruments
/// except the first are experimental in the conventions. Host names become dimensions, so a program that sends requests to any
/// number of hosts creates any number of time series.
/// ```swift
/// configuration.monitors = [RequestMetrics()]
/// ```
public struct RequestMetrics: ClientMonitor {
    /// How often a `FreshetRuntime` reports its connections.
    public var connectionsPeriod: Duration = .seconds(10)
    /// The methods that are used as a dimension. Any other method becomes `_OTHER`.
    public var knownMethods: Set<String> {
        get { semantics.knownMethods }
        set { semantics.knownMethods = newValue }
    }

    private let instruments: HTTPInstruments
    private var semantics = HTTPSemantics()

    /// Creates the instruments of a metrics backend.
    ///
    /// - Parameter factory: the backend; `nil` uses the backend that `MetricsSystem` has at the first use.
    public init(factory: (any MetricsFactory)? = nil) {
        instruments = HTTPInstruments(factory: factory)
    }

    public func receive(_ event: ClientEvent) {
        switch event.kind {
        case .phase(.admitted):
            instruments.meter("http.client.active_requests", target(event.request)).increment()
        case .phase(.cache(let status)):
            count(LayerEvent(status), of: event.request)
        case .phase(.layer(let layerEvent)):
            count(layerEvent, of: event.request)
        case .exchanged(let exchange):
            if exchange.wasAdmitted {
                instruments.meter("http.client.active_requests", target(exchange.request)).decrement()
            }
            if !exchange.wasServedFromCache { record(exchange) }
        default:
            break
        }
    }

    /// Reports the current number of connections.
    func record(active: Int, idle: Int) {
        for (state, count) in [("active", active), ("idle", idle)] {
            instruments.meter("http.client.open_connections", [Dimension("http.connection.state", state)]).set(count)
        }
    }

    private func count(_ event: LayerEvent, of request: Request) {
        let layer = Dimension("freshet.layer.name", event.layer)
        let server = target(request).dropFirst()
        instruments.counter("freshet.layer.events", [layer, Dimension("freshet.layer.event", event.name)] + server)
            .increment()
        guard let duration = event.duration else { return }
        instruments.timer("freshet.layer.wait.duration", [layer] + server).record(duration: duration)
    }

    private func record(_ exchange: Exchange) {
        var dimensions = target(exchange.request)
        if let head = exchange.wireHead {
            dimensions.append(Dimension("http.response.status_code", "\(head.status.code)"))
        }
        if let version = exchange.version { dimensions.append(Dimension("network.protocol.version", version)) }
        if let error = semantics.errorType(of: exchange) { dimensions.append(Dimension("error.type", error)) }
        instruments.timer("http.client.request.duration", dimensions).record(duration: exchange.duration)
        if let sent = exchange.sentBytes, sent > 0 {
            instruments.recorder("http.client.request.body.size", dimensions).record(sent)
        }
        if exchange.wireHead != nil, let received = exchange.wireBytes {
            instruments.recorder("http.client.response.body.size", dimensions).record(received)
        }
    }

    private func target(_ request: Request) -> [Dimension] {
        [
            Dimension("http.request.method", semantics.method(request.method)),
            Dimension("server.address", request.url.host),
            Dimension("server.port", "\(request.url.port)"),
        ]
    }
}

/// The name and the value of a dimension.
struct Dimension: Hashable {
    let name: String
    let value: String

    init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}
