public import FreshetCore
import HTTPTypes

extension ObservableType where Element == RequestEvent {
    /// Emits the body, piece by piece as it arrives. Pausing stops reading from the network.
    ///
    ///     client.events(request).validate(statusCodes: 200..<300).bodyParts()
    public func bodyParts() -> Observable<[UInt8]> {
        compactMap { if case .body(let bytes) = $0 { bytes } else { nil } }
    }

    /// Emits how much of the body has arrived: at its head, and at every piece. Pausing stops reading from the network.
    public func downloadProgress() -> Observable<DownloadProgress> {
        let events = asObservable()
        return .deferred {
            let meter = Locked(DownloadProgress(received: 0, total: nil))
            return events.compactMap { event in
                meter.withLock { $0.record(event) ? $0 : nil }
            }
        }
    }
}

/// The progress of a response's body, or of the download of a file.
public struct DownloadProgress: Sendable, Hashable {
    /// The number of bytes that have arrived, after decoding.
    public var received: Int
    /// The number of bytes in all; `nil` while it is not known, as for an encoded body.
    public var total: Int?

    public init(received: Int, total: Int?) {
        self.received = received
        self.total = total
    }

    /// From 0 to 1; `nil` while the total is not known.
    public var fraction: Double? {
        total.map { $0 > 0 ? min(1, Double(received) / Double($0)) : 1 }
    }

    /// - Returns: whether the event has changed the progress.
    fileprivate mutating func record(_ event: RequestEvent) -> Bool {
        switch event {
        case .head(let head, _):
            self = DownloadProgress(received: 0, total: head.headerFields.contentLength)
        case .body(let bytes):
            received += bytes.count
        default:
            return false
        }
        return true
    }
}
