/// How busy a transport is at one moment.
public struct ConnectionPoolStatistics: Sendable, Hashable {
    /// Connections that are made, including those that are kept.
    public var open: Int
    /// The open connections that are kept and carry nothing.
    public var idle: Int
    /// Requests that wait to be admitted.
    public var queued: Int
    /// Requests that are admitted and have not ended.
    public var running: Int

    public init(open: Int = 0, idle: Int = 0, queued: Int = 0, running: Int = 0) {
        self.open = open
        self.idle = idle
        self.queued = queued
        self.running = running
    }
}
