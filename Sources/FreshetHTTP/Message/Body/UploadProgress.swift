public import FreshetCore
import HTTPTypes

extension ObservableType where Element == RequestEvent {
    /// How much of the request's body has been handed to the network: as an attempt begins, once a piece, and from the start
    /// again in another attempt. Nothing of requests without a body.
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

/// How far a request's body has come.
public struct UploadProgress: Sendable, Hashable {
    /// Bytes that were handed to the network.
    public var sent: Int
    /// How many it will be; `nil` of a body whose length shows at its end only.
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

private struct UploadMeter {
    private var progress: UploadProgress?

    /// - Returns: what is new.
    mutating func record(_ event: RequestEvent) -> UploadProgress? {
        switch event {
        case .attempt(_, let request):
            progress = request.body.isEmpty ? nil : UploadProgress(sent: 0, total: request.body.length)
        case .sent(let bytes, let total):
            progress = UploadProgress(sent: bytes, total: total)
        case .phase(.requestSent):
            // A small body in memory goes out in one piece, of which nobody tells.
            guard let total = progress?.total, progress?.sent == 0 else { return nil }
            progress?.sent = total
        default:
            return nil
        }
        return progress
    }
}
