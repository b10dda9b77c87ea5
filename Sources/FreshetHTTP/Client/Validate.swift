public import FreshetCore
import HTTPTypes

extension PrimitiveSequenceType where Trait == SingleTrait, Element == Response {
    /// Makes a status outside of `statusCodes` an error with code `status`, whose `response` is this response.
    /// Source: Alamofire's `validate(statusCode:)`.
    @inlinable
    public consuming func validate<Codes: Sequence<Int> & Sendable>(statusCodes: Codes) -> Single<Response> {
        validate(AcceptedStatuses(statusCodes))
    }

    /// Makes a status outside of 200..<300 an error with code `status`.
    @inlinable
    public consuming func validate() -> Single<Response> {
        validate(AcceptedStatuses(within: 200..<300))
    }

    @inlinable
    consuming func validate(_ accepted: AcceptedStatuses) -> Single<Response> {
        accepted.checking(primitiveSequence)
    }
}

extension AcceptedStatuses {
    @usableFromInline
    func checking(_ response: consuming Single<Response>) -> Single<Response> {
        // The client checks its own responses where it makes them, without an operator.
        if response.isTrusted(parameters: RequestParameters.self) {
            return .updating(response) { (parameters: inout RequestParameters) in
                parameters.accepted.formIntersection(self)
            }
        }
        return response.map { response in
            guard !contains(response.status.code) else { return response }
            throw HTTPClientError.refused(response).about(response)
        }
    }
}

extension ObservableType where Element == RequestEvent {
    /// Makes a status outside of 200..<300 an error with code `status` as soon as the head arrives.
    @inlinable
    public consuming func validate() -> Observable<RequestEvent> { validate(statusCodes: 200..<300) }

    /// Makes a status outside of `statusCodes` an error with code `status` as soon as the head arrives.
    @inlinable
    public consuming func validate<Codes: Sequence<Int> & Sendable>(statusCodes: Codes) -> Observable<RequestEvent> {
        AcceptedStatuses(statusCodes).checking(asObservable())
    }
}

extension AcceptedStatuses {
    @usableFromInline
    func checking(_ events: consuming Observable<RequestEvent>) -> Observable<RequestEvent> {
        // The client checks its own events where it makes them: one check per response, and no operator.
        if events.isTrusted(parameters: RequestParameters.self) {
            return .updating(events) { (parameters: inout RequestParameters) in
                parameters.accepted.formIntersection(self)
            }
        }
        return events.checking { event in
            if case .head(let head, let url) = event, !contains(head.status.code) {
                throw HTTPClientError.refused(head, from: url)
            }
        }
    }
}

extension HTTPClientError {
    /// The error for a whole response with a status that is not accepted. If the body is the client's `failure`, that is the
    /// underlying error.
    static func refused(_ response: Response) -> HTTPClientError {
        let error = HTTPClientError(
            .status, phase: .receiving, origin: response.url.origin.description,
            message: "the server responded with \(response.status)",
            recoverySuggestion: "see the response for its reason",
            response: response)
        return response.coding?.failure.map { error.explained(by: $0, nil) } ?? error
    }

    /// The error for a response from `url` with a status that is not accepted.
    static func refused(_ head: HTTPResponse, from url: RequestURL) -> HTTPClientError {
        HTTPClientError(
            .status, phase: .receiving, origin: url.origin.description,
            message: "the server responded with \(head.status)", response: Response(head: head, url: url))
    }
}
