import Synchronization

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
