/// The streams that a run is to open and hold.
public struct StreamLoadPlan: Sendable {
    var streams: Int
    /// How many are being opened at once.
    var concurrency: Int
    /// How long they are held, from the moment at which the last one is open.
    var duration: Duration
    /// How long each may take to bring its head.
    var timeout: Duration

    public init(streams: Int, concurrency: Int, duration: Duration, timeout: Duration) {
        self.streams = streams
        self.concurrency = concurrency
        self.duration = duration
        self.timeout = timeout
    }
}
