/// The streams that a run opens and holds.
public struct StreamLoadPlan: Sendable {
    var streams: Int
    /// The number of streams that are being opened at the same time.
    var concurrency: Int
    /// How long the streams are held, after the last one was opened.
    var duration: Duration
    /// How long a stream may take until the head of its response arrives.
    var timeout: Duration

    public init(streams: Int, concurrency: Int, duration: Duration, timeout: Duration) {
        self.streams = streams
        self.concurrency = concurrency
        self.duration = duration
        self.timeout = timeout
    }
}
