public import FreshetCore

extension ObservableType where Element == RequestEvent {
    /// Emits how much of the request's body has been handed to the network: when an attempt begins, and once per piece. Another
    /// attempt starts from zero again, and so does a redirect that keeps the body, though with its first piece. A request without a
    /// body emits nothing.
    ///
    ///     client.events(request).uploadProgress()
    public func uploadProgress() -> Observable<UploadProgress> {
        let events = asObservable()
        return .deferred {
            let meter = Locked(UploadMeter())
            return events.compactMap { event in meter.withLock { $0.record(event) } }
        }
    }
}

extension HTTPClient {
    /// Sends `request` as ``send(_:)-(Request)`` does, and calls `progress` with how much of its body has been sent, on the
    /// transport's thread. Source: Alamofire's `uploadProgress`.
    ///
    ///     client.upload(try Request(.put, url, body: .file(path))) { print($0.sent) }
    @preconcurrency
    public func upload(
        _ request: Request, progress: @escaping @Sendable (UploadProgress) -> Void
    ) -> Single<Response> {
        .updating(send(request)) { (parameters: inout RequestParameters) in parameters.uploadProgress = progress }
    }
}

/// How much of a request's body has been sent.
public struct UploadProgress: Sendable, Hashable {
    /// The number of bytes that were handed to the network.
    public var sent: Int
    /// The length of the body; `nil` if it is known only at the end.
    public var total: Int?

    public init(sent: Int, total: Int?) {
        self.sent = sent
        self.total = total
    }

    /// From 0 to 1; `nil` while the total is not known.
    public var fraction: Double? {
        total.map { $0 > 0 ? min(1, Double(sent) / Double($0)) : 1 }
    }
}

struct UploadMeter {
    private var request: Request?
    private var progress: UploadProgress?

    /// - Returns: the progress, if the event has changed it.
    mutating func record(_ event: RequestEvent) -> UploadProgress? {
        switch event {
        case .attempt(_, let request):
            self.request = request
            progress = request.body.isEmpty ? nil : UploadProgress(sent: 0, total: request.body.length)
        case .sent(let bytes, let total):
            progress = UploadProgress(sent: bytes, total: total)
        case .phase(.requestSent(let bytes)):
            guard let total = progress?.total, progress?.sent == 0, request?.isBodySent(within: bytes) == true else {
                return nil
            }
            progress?.sent = total
        default:
            return nil
        }
        return progress
    }
}
