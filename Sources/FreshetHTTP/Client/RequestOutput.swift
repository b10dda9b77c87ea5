import FreshetCore
import HTTPTypes

/// The arguments from which a subscription to a request is made.
struct RequestParameters: Sendable {
    var request: Request
    let client: HTTPClient
    /// The statuses that the response may have.
    var accepted = AcceptedStatuses.all
    /// Whether the error about another status has the beginning of the body. That takes the time of the body.
    var readsRefusal = false
    /// Receives how much of the request's body has been sent.
    var uploadProgress: (@Sendable (UploadProgress) -> Void)?

    /// Whether the response may never end.
    var isLongLived: Bool { request.transfer?.isLongLived ?? client.configuration.transfer.isLongLived }
}

/// Hands the events of a request to its subscriber, in the form that the subscriber asked for.
///
/// No generic type stands between it and the ``RequestCall``, because the runtime would look up a generic type for each event.
protocol RequestOutput: AnyObject {
    /// Whether the output uses the timings.
    var needsTimings: Bool { get }

    /// - Throws: the error that ends the request.
    func receive(_ event: consuming RequestEvent) throws

    /// The response to a request with this method, which a redirect can have changed, is complete; ``complete()`` follows.
    func receiveEnd(_ timings: RequestTimings, method: HTTPRequest.Method) throws

    // The last call is one of these.
    func complete()
    func fail(_ error: any Error)
}

/// Emits all events.
final class EventOutput: RequestOutput {
    private let accepted: AcceptedStatuses
    private let sink: Sink<RequestEvent>
    /// The client, if the beginning of a refused body is read.
    private let reader: HTTPClient?
    private var refusal: RefusedResponse?

    init(_ parameters: RequestParameters, _ sink: Sink<RequestEvent>) {
        accepted = parameters.accepted
        self.sink = sink
        reader = parameters.readsRefusal && !parameters.isLongLived ? parameters.client : nil
    }

    var needsTimings: Bool { true }

    func receive(_ event: consuming RequestEvent) throws {
        if refusal != nil { return try read(event) }
        if case .head(let head, let url) = event, !accepted.contains(head.status.code) {
            let error = HTTPClientError.refused(head, from: url)
            guard let reader else { throw error }
            refusal = RefusedResponse(error, client: reader)
            return
        }
        sink.next(event)
    }

    private func read(_ event: RequestEvent) throws {
        if refusal?.receive(.next(event)) == true, let failure = refusal?.failure { throw failure }
    }

    func receiveEnd(_ timings: RequestTimings, method: HTTPRequest.Method) throws {
        if let refusal { throw refusal.failure }
        sink.next(.finished(timings))
    }

    func complete() { sink.completed() }

    func fail(_ error: any Error) {
        // The status explains more than what became of the rest of the body.
        guard var failure = refusal?.failure, let error = error as? HTTPClientError, error.code != .status else {
            return sink.error(error)
        }
        (failure.method, failure.path, failure.attempt, failure.peer) = (
            error.method, error.path, error.attempt, error.peer
        )
        failure.nameInResponse()
        sink.error(failure)
    }
}

/// Emits the response with its whole body.
final class ResponseOutput: RequestOutput {
    private let accepted: AcceptedStatuses
    private let sink: Sink<Response>
    private let coding: ClientCoding
    private var collector: ResponseCollector
    private let uploadProgress: (@Sendable (UploadProgress) -> Void)?
    private var meter = UploadMeter()

    init(_ parameters: RequestParameters, _ sink: Sink<Response>) {
        accepted = parameters.accepted
        self.sink = sink
        coding = parameters.client.coding
        uploadProgress = parameters.uploadProgress
        collector = ResponseCollector(
            limit: parameters.client.configuration.maximumBodySize, origin: parameters.request.url.origin)
        // A response from a cache comes without an attempt, which would tell the method.
        collector.begin(parameters.request)
    }

    var needsTimings: Bool { false }

    func receive(_ event: consuming RequestEvent) throws {
        if let uploadProgress, let progress = meter.record(event) { uploadProgress(progress) }
        try collector.receive(event)
    }

    func receiveEnd(_ timings: RequestTimings, method: HTTPRequest.Method) throws {
        var response = try collector.end()
        (response.coding, response.method) = (coding, method)
        guard accepted.contains(response.status.code) else { throw HTTPClientError.refused(response) }
        sink.next(response)
    }

    func complete() { sink.completed() }
    func fail(_ error: any Error) { sink.error(error) }
}
