import Synchronization

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

/// A number that only the loop changes and any thread can read.
///
/// The loop is the only writer, so a load and a store replace an atomic add, at a tenth of its cost.
final class Gauge: Sendable {
    private let value = Atomic<Int>(0)

    func set(_ new: Int) { value.store(new, ordering: .relaxed) }
    func add(_ difference: Int) { set(read() + difference) }
    func read() -> Int { value.load(ordering: .relaxed) }
}

/// The gauges that the queues and sockets of a pool update.
struct Gauges: Sendable {
    let open = Gauge()
    let idle = Gauge()
    let ordinary = Queue()
    let longLived = Queue()

    struct Queue: Sendable {
        let waiting = Gauge()
        let running = Gauge()
    }

    var reading: ConnectionPoolStatistics {
        ConnectionPoolStatistics(
            open: open.read(), idle: idle.read(), queued: ordinary.waiting.read() + longLived.waiting.read(),
            running: ordinary.running.read() + longLived.running.read())
    }
}
