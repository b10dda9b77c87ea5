import FreshetCore
import HTTPTypes

/// What a subscription to a request grows from.
struct RequestSeed: Sendable {
    let request: Request
    let client: HTTPClient
    /// What the status of the response may be.
    var accepted = AcceptedStatuses.all
}

/// Hands a subscriber what it gets of the events of its request.
///
/// No generic type stands between it and the ``RequestCall``: what is generic is looked up at run time for each event.
protocol RequestOutput: AnyObject {
    /// Whether it has a use for the timings.
    var tellsTimings: Bool { get }

    /// - Throws: what ends the request.
    func receive(_ event: consuming RequestEvent) throws

    /// The response is complete; ``complete()`` follows.
    func receiveEnd(_ timings: RequestTimings) throws

    // The last is one of these.
    func complete()
    func fail(_ error: any Error)
}

/// All events.
final class EventOutput: RequestOutput {
    private let accepted: AcceptedStatuses
    private let observer: RuledObserver<RequestEvent>

    init(_ seed: RequestSeed, _ observer: RuledObserver<RequestEvent>) {
        accepted = seed.accepted
        self.observer = observer
    }

    var tellsTimings: Bool { true }

    func receive(_ event: consuming RequestEvent) throws {
        if case .head(let head, let url) = event, !accepted.contains(head.status.code) {
            throw HTTPClientError.refused(head, from: url)
        }
        observer.onNext(event)
    }

    func receiveEnd(_ timings: RequestTimings) { observer.onNext(.finished(timings)) }
    func complete() { observer.onCompleted() }
    func fail(_ error: any Error) { observer.onError(error) }
}

/// The response with its whole body.
final class ResponseOutput: RequestOutput {
    private let accepted: AcceptedStatuses
    private let observer: RuledObserver<Response>
    private var collector: ResponseCollector

    init(_ seed: RequestSeed, _ observer: RuledObserver<Response>) {
        accepted = seed.accepted
        self.observer = observer
        collector = ResponseCollector(
            limit: seed.client.configuration.maximumBodySize, origin: seed.request.url.origin)
    }

    var tellsTimings: Bool { false }

    func receive(_ event: consuming RequestEvent) throws { try collector.take(event) }

    func receiveEnd(_ timings: RequestTimings) throws {
        let response = try collector.end()
        guard accepted.contains(response.status.code) else { throw HTTPClientError.refused(response) }
        observer.onNext(response)
    }

    func complete() { observer.onCompleted() }
    func fail(_ error: any Error) { observer.onError(error) }
}
