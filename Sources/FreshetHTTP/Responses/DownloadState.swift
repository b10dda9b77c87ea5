import HTTPTypes

/// The state of a ``DownloadCall``.
struct DownloadState {
    enum Phase {
        case running
        /// Nothing more is written, except the bytes that have already arrived.
        case over
        /// The file is abandoned.
        case left
    }

    var phase = Phase.running
    var resumesLeft: Int
    /// The number of the current transfer. Signals from earlier ones are stale.
    var round = 0
    var point: DownloadPlan.Point?
    /// The current attempt, for errors.
    var location = AttemptLocation()
    var head: (HTTPResponse, RequestURL)?
    /// The response that ends the download, while its body is read.
    var refusal: RefusedResponse?
    var progress = DownloadProgress(received: 0, total: nil)
    var record: DownloadRecord?
    /// The length of the file up to which the response may write.
    var limit = Int.max
    /// The bytes that have arrived and are not written yet.
    var waiting: [[UInt8]] = []
    var waitingSize = 0
    var mustBegin = false
    /// Whether a piece of work on the file is running.
    var isBusy = false
    /// How the transfer has ended.
    var end: Result<Void, any Error>?
    var isHeldByConsumer = false
    var isHeldByDisk = false
    /// The error that the subscriber gets once the file is closed.
    var failure: (any Error)?

    var isOver: Bool { phase != .running }

    /// Whether a part has all its bytes and is shorter than the rest, so that the server sends the rest in several parts.
    var isPartComplete: Bool { head != nil && progress.received == limit && limit < progress.total ?? 0 }

    /// Returns the error with the request, the attempt and the address that it is about, unless it has them.
    func named(_ error: any Error, _ request: Request) -> any Error {
        (error as? HTTPClientError)?.naming(request, at: location) ?? error
    }

    /// Prepares for a transfer that continues where this one lost its connection.
    mutating func resume() {
        resumesLeft -= 1
        continueAfterPart()
    }

    /// Prepares for a transfer that continues where this one ended.
    mutating func continueAfterPart() {
        // Without a record, the download starts anew.
        if head != nil {
            point = record.map { DownloadPlan.Point(offset: progress.received, record: $0) }
        }
        if point?.offset == 0 { point = nil }
        (head, end) = (nil, nil)
    }

    /// Prepares for a transfer of the whole. The part is emptied at once, because a later download must not continue it.
    mutating func startOver() {
        (head, point, record) = (nil, nil, nil)
        (waiting, waitingSize) = ([], 0)
        mustBegin = true
    }
}
