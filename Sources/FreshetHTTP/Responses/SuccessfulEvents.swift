import FreshetCore
import HTTPTypes

extension HTTPClient {
    /// The events of `request`. A status outside of 200..<300 is an error with code `status`, whose response has the beginning of the
    /// body; if the body is the client's failure, that is the underlying error.
    func successfulEvents(_ request: Request) -> Observable<RequestEvent> {
        let events = events(request)
        return .create { observer in events.subscribe(RefusalReader(of: request, by: self, for: observer)) }
    }
}

/// Passes on the events of a response, unless its status refuses the request. Events are serial, so no lock is needed.
private final class RefusalReader: ObserverType {
    private let request: Request
    private let client: HTTPClient
    private let observer: AnyObserver<RequestEvent>
    private var refusal: RefusedResponse?

    init(of request: Request, by client: HTTPClient, for observer: AnyObserver<RequestEvent>) {
        self.request = request
        self.client = client
        self.observer = observer
    }

    func on(_ event: Event<RequestEvent>) {
        if refusal != nil {
            if refusal?.receive(event) == true, let error = refusal?.failure { observer.onError(error) }
        } else if case .next(.head(let head, let url)) = event, !(200..<300).contains(head.status.code) {
            refusal = RefusedResponse(.refused(head, from: url).naming(request), client: client)
        } else {
            observer.on(event)
        }
    }
}
