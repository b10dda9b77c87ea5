import FreshetCore
import HTTPTypes

/// The arguments from which a subscription to a request is made.
struct RequestParameters: Sendable {
    let request: Request
    let client: HTTPClient
    /// The statuses that the response may have.
    var accepted = AcceptedStatuses.all
}

/// Hands the events of a request to its subscriber, in the form that the subscriber asked for.
///
/// No generic type stands between it and the ``RequestCall``, because the runtime would look up a generic type for each event.
protocol RequestOutput: AnyObject {
    /// Whether the output uses the timings.
    var needsTimings: Bool { get }

    /// - Throws: the error that ends the request.
    func receive(_ event: consuming RequestEvent) throws

    /// The response is complete; ``complete()`` follows.
    func receiveEnd(_ timings: RequestTimings) throws

    // The last call is one of these.
    func complete()
    func fail(_ error: any Error)
}

/// Emits all events.
final class EventOutput: RequestOutput {
    private let accepted: AcceptedStatuses
    private let sink: Sink<RequestEvent>

    init(_ seed: RequestParameters, _ sink: Sink<RequestEvent>) {
        accepted = seed.accepted
        self.sink = sink
    }

    var needsTimings: Bool { true }

    func receive(_ event: consuming RequestEvent) throws {
        if case .head(let head, let url) = event, !accepted.contains(head.status.code) {
            throw HTTPClientError.refused(head, from: url)
        }
        sink.next(event)
    }

    func receiveEnd(_ timings: RequestTimings) { sink.next(.finished(timings)) }
    func complete() { sink.completed() }
    func fail(_ error: any Error) { sink.error(error) }
}

/// Emits the response with its whole body.
final class ResponseOutput: RequestOutput {
    private let accepted: AcceptedStatuses
    private let sink: Sink<Response>
    private let coding: ClientCoding
    private let method: HTTPRequest.Method
    private var collector: ResponseCollector

    init(_ seed: RequestParameters, _ sink: Sink<Response>) {
        accepted = seed.accepted
        self.sink = sink
        coding = seed.client.coding
        method = seed.request.method
        collector = ResponseCollector(
            limit: seed.client.configuration.maximumBodySize, origin: seed.request.url.origin)
    }

    var needsTimings: Bool { false }

    func receive(_ event: consuming RequestEvent) throws { try collector.receive(event) }

    func receiveEnd(_ timings: RequestTimings) throws {
        var response = try collector.end()
        (response.coding, response.method) = (coding, method)
        guard accepted.contains(response.status.code) else {
            let error = HTTPClientError.refused(response)
            throw coding.failure.map { error.explained(by: $0, nil) } ?? error
        }
        sink.next(response)
    }

    func complete() { sink.completed() }
    func fail(_ error: any Error) { sink.error(error) }
}
