public import CoreMetrics
import FreshetCore
public import FreshetHTTP
import HTTPTypes

/// Tells a metrics backend of each request, through swift-metrics, under the names of OpenTelemetry's conventions.
///
/// Each time on the wire counts: each attempt, each hop of a redirect.
///
/// - `http.client.request.duration`, a timer: from its turn to the end of the answer's body. `http.request.method`,
///   `server.address`, `server.port`, and, where there is one, `http.response.status_code`, `network.protocol.version` and
///   `error.type`: the code of an `HTTPClientError`, or the status if that is 400 or above.
/// - `http.client.active_requests`, a meter: how many are on the wire. `http.request.method`, `server.address`, `server.port`.
/// - `http.client.request.body.size`, a recorder: the bytes of a body that was sent, where there was one.
/// - `http.client.response.body.size`, a recorder: the bytes of the answer's body, where the wire's count is known: not of
///   one that was decoded.
/// - `http.client.open_connections`, a meter, from a `FreshetRuntime` alone: how many there are, with `http.connection.state`
///   `active` or `idle`; asked for every ``connectionsPeriod``.
///
/// All but the first are experimental in the conventions. Host names become dimensions: think twice with a program that
/// asks any number of hosts.
/// ```swift
/// configuration.monitors = [RequestMetrics()]
/// ```
public struct RequestMetrics: ClientMonitor {
    /// How often a `FreshetRuntime` tells of its connections.
    public var connectionsPeriod: Duration = .seconds(10)
    /// Methods that may be a dimension; others are `_OTHER`.
    public var knownMethods: Set<String> {
        get { semantics.knownMethods }
        set { semantics.knownMethods = newValue }
    }

    private let instruments: HTTPInstruments
    private var semantics = HTTPSemantics()

    /// The instruments of a metrics backend.
    ///
    /// - Parameter factory: the backend; `nil` for the one that `MetricsSystem` was bootstrapped with, as of the first use.
    public init(factory: (any MetricsFactory)? = nil) {
        instruments = HTTPInstruments(factory: factory)
    }

    public func receive(_ event: ClientEvent) {
        switch event.kind {
        case .phase(.admitted):
            instruments.meter("http.client.active_requests", target(event.request)).increment()
        case .exchanged(let exchange):
            if exchange.wasAdmitted {
                instruments.meter("http.client.active_requests", target(exchange.request)).decrement()
            }
            record(exchange)
        default:
            break
        }
    }

    /// Tells how many connections there are now.
    func record(active: Int, idle: Int) {
        for (state, count) in [("active", active), ("idle", idle)] {
            instruments.meter("http.client.open_connections", [Dimension("http.connection.state", state)]).set(count)
        }
    }

    private func record(_ exchange: Exchange) {
        var dimensions = target(exchange.request)
        if let head = exchange.head { dimensions.append(Dimension("http.response.status_code", "\(head.status.code)")) }
        if let version = exchange.version { dimensions.append(Dimension("network.protocol.version", version)) }
        if let error = semantics.errorType(of: exchange) { dimensions.append(Dimension("error.type", error)) }
        instruments.timer("http.client.request.duration", dimensions).record(duration: exchange.duration)
        if let sent = exchange.sentBytes, sent > 0 {
            instruments.recorder("http.client.request.body.size", dimensions).record(sent)
        }
        if exchange.head != nil, let received = exchange.wireBytes {
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

/// A name and its value.
struct Dimension: Hashable {
    let name: String
    let value: String

    init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}
