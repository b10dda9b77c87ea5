public import FreshetCore
import HTTPTypes

extension ObservableType where Element == RequestEvent {
    /// The answer with its whole body, if that has at most `limit` bytes; else the error `tooLarge`, and the transfer ends.
    public func collected(limit: Int, origin: Origin) -> Single<Response> {
        let events = asObservable()
        return .create { observer in
            let collector = ResponseCollector(limit: limit, origin: origin)
            let subscription = SingleAssignmentDisposable()
            subscription.setDisposable(
                events.subscribe { event in
                    guard let result = collector.take(event) else { return }
                    observer(result)
                    subscription.dispose()
                })
            return subscription
        }
    }
}

/// Puts a response together. Events are serial, so nothing here is guarded.
private final class ResponseCollector: @unchecked Sendable {
    private let limit: Int
    private let origin: Origin
    private var response: Response?
    private var isForHead = false

    init(limit: Int, origin: Origin) {
        self.limit = limit
        self.origin = origin
    }

    func take(_ event: Event<RequestEvent>) -> Result<Response, any Error>? {
        switch event {
        case .next(.attempt(_, let request)):
            // Its answer tells the length of a body that does not come.
            isForHead = request.method == .head
        case .next(.head(let head, let url)):
            response = Response(head: head, url: url)
            if !isForHead, head.status != .notModified,
                let length = head.headerFields[.contentLength].flatMap({ Int($0) })
            {
                guard length <= limit else { return tooLarge }
                response?.body.reserveCapacity(length)
            }
        case .next(.body(let bytes)):
            guard let size = response?.body.count, size + bytes.count <= limit else { return tooLarge }
            response?.body += bytes
        case .next:
            break
        case .error(let error):
            return .failure(error)
        case .completed:
            return response.map { .success($0) }
        }
        return nil
    }

    private var tooLarge: Result<Response, any Error> {
        let head = response.map { Response(head: $0.head, url: $0.url) }
        return .failure(
            HTTPClientError(
                .tooLarge, phase: .receiving, origin: origin.description,
                message: "the body has more than \(limit) bytes; raise the limit or take it as a stream",
                response: head))
    }
}
