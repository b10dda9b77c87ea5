import FreshetCore
import HTTPTypes

/// The state of a ``DownloadCall``.
struct DownloadState {
    /// A piece of fewer bytes is copied to the piece before it.
    private static let smallSize = 4096

    enum Phase {
        case running
        /// Nothing more is written, except the bytes that have already arrived. The subscriber gets the error, if there is one, once
        /// the file is closed.
        case over((any Error)?)
        /// The file is abandoned.
        case left
    }

    enum Pause {
        case subscriber, disk
    }

    var phase = Phase.running
    var resumesLeft: Int
    /// The number of the current transfer. Signals from earlier ones are stale.
    var round = 0
    var point: DownloadPlan.Point?
    /// The current attempt, for errors.
    private(set) var location = AttemptLocation()
    /// Whether one of the requests of the download was sent, or may have been.
    private(set) var wasSent = false
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
    /// What holds the transfer back.
    var pauses: Set<Pause> = []

    var isOver: Bool { if case .running = phase { false } else { true } }

    /// Whether a part has all its bytes and is shorter than the rest, so that the server sends the rest in several parts.
    var isPartComplete: Bool { head != nil && progress.received == limit && limit < progress.total ?? 0 }

    /// Records where the response comes from, and whether the request was sent.
    mutating func record(_ event: Event<RequestEvent>) {
        switch event {
        case .next(let event):
            location.record(event)
            if case .head = event { wasSent = true }
        case .error(let error): if (error as? HTTPClientError)?.isUnsent != true { wasSent = true }
        case .completed: break
        }
    }

    /// Returns the error with the request, the attempt and the address that it is about, unless it has them.
    func named(_ error: any Error, _ request: Request) -> any Error {
        guard var error = (error as? HTTPClientError)?.naming(request, at: location) else { return error }
        if wasSent { error.isUnsent = false }
        return error
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

    /// Keeps bytes that have arrived until they are written.
    mutating func append(_ bytes: consuming [UInt8]) {
        progress.received += bytes.count
        waitingSize += bytes.count
        // A server can send a byte at a time, and an array of one byte takes the memory of fifty.
        if bytes.count < Self.smallSize, let last = waiting.indices.last, waiting[last].count < 64 * 1024 {
            waiting[last] += bytes
        } else {
            waiting.append(bytes)
        }
    }

    /// Prepares for the body of a response, whose first byte is number `offset` of the file.
    mutating func begin(at offset: Int, limit: Int, total: Int?, _ record: DownloadRecord?) {
        (self.record, self.limit) = (record, limit)
        progress = DownloadProgress(received: offset, total: total)
        guard offset == 0 else { return }
        // The events can be those of a request that was sent again, and an earlier response has left its bytes.
        (waiting, waitingSize) = ([], 0)
        mustBegin = true
    }

    /// Prepares for a transfer of the whole. The part is emptied at once, because a later download must not continue it.
    mutating func startOver() {
        (head, point, record) = (nil, nil, nil)
        (waiting, waitingSize) = ([], 0)
        mustBegin = true
    }
}
