public import FreshetCore
import HTTPTypes

extension PrimitiveSequenceType where Trait == SingleTrait, Element == Response {
    /// Makes a status outside of `statusCodes` an error with code `status`, whose `response` is the answer.
    /// Source: Alamofire's `validate(statusCode:)`.
    public func validate<Codes: Sequence<Int> & Sendable>(statusCodes: Codes) -> Single<Response> {
        // Of a type that is known here.
        primitiveSequence.map { response in
            if statusCodes.contains(response.status.code) { return response }
            throw HTTPClientError(
                .status, phase: .receiving, origin: response.url.origin.description,
                message: "the server answered \(response.status); see the response for its reason",
                response: response)
        }
    }

    /// Makes a status outside of 200..<300 an error with code `status`.
    public func validate() -> Single<Response> {
        validate(statusCodes: 200..<300)
    }
}

extension ObservableType where Element == RequestEvent {
    /// Makes a status outside of `statusCodes` an error with code `status` as soon as the head has come.
    public func validate<Codes: Sequence<Int> & Sendable>(statusCodes: Codes) -> Observable<RequestEvent> {
        asObservable().checking { event in
            if event.isHead { try event.validate(statusCodes) }
        }
    }
}

extension RequestEvent {
    // Apart, for an event is copied where it is taken apart.
    @inline(never)
    fileprivate func validate(_ statusCodes: some Sequence<Int>) throws {
        guard case .head(let head, let url) = self, !statusCodes.contains(head.status.code) else { return }
        throw HTTPClientError(
            .status, phase: .receiving, origin: url.origin.description,
            message: "the server answered \(head.status)", response: Response(head: head, url: url))
    }

    @inline(never)
    fileprivate var isHead: Bool {
        if case .head = self { true } else { false }
    }
}
