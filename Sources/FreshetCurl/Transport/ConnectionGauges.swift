import Synchronization

/// How busy a transport is at one moment.
public struct ConnectionGauges: Sendable, Hashable {
    /// Connections that are made, kept ones included.
    public var open: Int
    /// Of these, those that are kept and carry nothing.
    public var idle: Int
    /// Requests that wait for their turn.
    public var queued: Int
    /// Requests that have their turn.
    public var running: Int

    public init(open: Int = 0, idle: Int = 0, queued: Int = 0, running: Int = 0) {
        self.open = open
        self.idle = idle
        self.queued = queued
        self.running = running
    }
}

/// A number that the loop alone changes and everybody may read.
///
/// Not `add`: without a second writer a plain store does, which costs a tenth.
final class Gauge: Sendable {
    private let value = Atomic<Int>(0)

    func set(_ new: Int) { value.store(new, ordering: .relaxed) }
    func add(_ difference: Int) { set(read() + difference) }
    func read() -> Int { value.load(ordering: .relaxed) }
}

/// What a pool's queues and sockets write down of themselves.
struct Gauges: Sendable {
    let open = Gauge()
    let idle = Gauge()
    let ordinary = Queue()
    let longLived = Queue()

    struct Queue: Sendable {
        let waiting = Gauge()
        let running = Gauge()
    }

    var reading: ConnectionGauges {
        ConnectionGauges(
            open: open.read(), idle: idle.read(), queued: ordinary.waiting.read() + longLived.waiting.read(),
            running: ordinary.running.read() + longLived.running.read())
    }
}
