import HTTPTypes

/// How far a ``DownloadCall`` has come.
struct DownloadState {
    enum Phase {
        case running
        /// Nothing is written any more, but for what has come already.
        case over
        /// The file is let go of.
        case left
    }

    var phase = Phase.running
    var resumesLeft: Int
    /// The number of the transfer that is under way: what an earlier one says is stale.
    var round = 0
    var point: DownloadPlan.Point?
    var head: (HTTPResponse, RequestURL)?
    var progress = DownloadProgress(received: 0, total: nil)
    var record: DownloadRecord?
    /// What has come and is not written.
    var waiting: [[UInt8]] = []
    var waitingSize = 0
    var mustBegin = false
    /// Whether a piece of work on the file is done now.
    var isBusy = false
    /// How the transfer has ended.
    var end: Result<Void, any Error>?
    var isHeldByConsumer = false
    var isHeldByDisk = false
    /// What the subscriber hears once the file is let go of.
    var failure: (any Error)?

    var isOver: Bool { phase != .running }
}
