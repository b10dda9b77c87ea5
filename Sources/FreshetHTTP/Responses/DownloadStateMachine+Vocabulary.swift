import FreshetCore

extension DownloadStateMachine {
    /// How often a part is opened that another download has, and how long the download waits before each further time.
    static let maxOpenings = 20
    static let openingDelay = Duration.milliseconds(25)

    /// Something that happened to the download.
    enum Input: Sendable {
        case start
        /// The file is open. An earlier download ended at this point. If the download fails, `part` is kept.
        case opened(DownloadPlan.Point?, part: String?)
        /// Other work on the file has ended.
        case worked
        case workFailed(any Error)
        /// The current transfer has delivered this.
        case received(Event<RequestEvent>)
        /// The delay before the next transfer is over.
        case waited
        /// The client has ended during the delay.
        case fail(any Error)
        /// The subscriber has paused or resumed the download.
        case paused(Bool)
        /// The subscriber has disposed of the subscription.
        case dispose
    }

    /// Something that the ``DownloadCall`` has to do.
    enum Action {
        // The work on the file. An input reports its end, and no other work begins before that.
        /// Opens the part, which a download of this address may have left.
        case open(address: UInt64)
        /// Begins the file anew, and keeps the record beside it.
        case begin(DownloadRecord?)
        case write([[UInt8]])
        /// Moves the complete file into its place.
        case finish
        /// Closes the file. These bytes are written if the part is kept.
        case close(rest: [[UInt8]])

        /// Starts a transfer of the request.
        case send(Request)
        /// Cancels the transfer or the delay.
        case cancel
        /// Pauses the transfer, or resumes it.
        case hold(Bool)
        /// Waits before the next transfer, because the last one ended with this error.
        case wait(Duration, after: any Error)
        case emit(DownloadEvent)
        // A download that is not disposed of ends with one of these.
        case complete
        case fail(any Error)
    }
}
