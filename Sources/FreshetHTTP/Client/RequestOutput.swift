import FreshetCore
import HTTPTypes

/// What a subscription to a request grows from.
struct RequestSeed: Sendable {
    let request: Request
    let client: HTTPClient
    /// What the status of the response may be.
    var accepted = AcceptedStatuses.all
}

/// What a subscriber gets of the events of its request.
protocol RequestOutput: SendableMetatype {
    associatedtype Element

    /// Whether it has a use for the timings.
    static var tellsTimings: Bool { get }

    init(_ seed: RequestSeed)

    /// What the subscriber gets of `event`, if anything; an error ends the request.
    mutating func receive(_ event: RequestEvent) throws -> Element?

    /// What it gets at last, when the response is complete.
    mutating func receiveEnd(_ timings: RequestTimings) throws -> Element?
}

/// All events.
struct EventOutput: RequestOutput {
    static let tellsTimings = true
    private let accepted: AcceptedStatuses

    init(_ seed: RequestSeed) {
        accepted = seed.accepted
    }

    func receive(_ event: RequestEvent) throws -> RequestEvent? {
        if case .head(let head, let url) = event, !accepted.contains(head.status.code) {
            throw HTTPClientError.refused(head, from: url)
        }
        return event
    }

    func receiveEnd(_ timings: RequestTimings) -> RequestEvent? { .finished(timings) }
}

/// The response with its whole body.
struct ResponseOutput: RequestOutput {
    static let tellsTimings = false
    private let accepted: AcceptedStatuses
    private var collector: ResponseCollector

    init(_ seed: RequestSeed) {
        accepted = seed.accepted
        collector = ResponseCollector(
            limit: seed.client.configuration.maximumBodySize, origin: seed.request.url.origin)
    }

    mutating func receive(_ event: RequestEvent) throws -> Response? {
        try collector.take(event)
        return nil
    }

    mutating func receiveEnd(_ timings: RequestTimings) throws -> Response? {
        let response = try collector.end()
        guard accepted.contains(response.status.code) else { throw HTTPClientError.refused(response) }
        return response
    }
}
