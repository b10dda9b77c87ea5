/// What tells the time and wakes up: three functions. A loop has one over its timer, a virtual scheduler one over a number.
package protocol TimerBackend {
    var now: Instant { get }
    /// Asks for ``Timeline/runDue()`` at `due`; replaces what was asked before.
    func arm(at due: Instant)
    func disarm()
}

/// The ordering of timed work, one for real and for virtual time: by due time, and by arrival where that is the same.
///
/// Confined to its scheduler's thread. A cancelled item leaves at once, so that a million requests with a timeout of a
/// minute do not leave a million items behind.
package final class Timeline<Backend: TimerBackend> {
    package final class Item {
        package let due: Instant
        fileprivate let order: UInt64
        fileprivate var position = -1
        fileprivate var action: (() -> Void)?

        fileprivate init(due: Instant, order: UInt64, action: @escaping () -> Void) {
            self.due = due
            self.order = order
            self.action = action
        }

        fileprivate func isBefore(_ other: Item) -> Bool {
            due == other.due ? order < other.order : due < other.due
        }
    }

    package let backend: Backend
    private var heap: [Item] = []
    private var arrivals: UInt64 = 0
    private var armed: Instant?

    package init(backend: Backend) {
        self.backend = backend
    }

    package var isEmpty: Bool { heap.isEmpty }
    package var count: Int { heap.count }
    package var nextDue: Instant? { heap.first?.due }

    package func insert(at due: Instant, _ action: @escaping () -> Void) -> Item {
        arrivals += 1
        let item = Item(due: due, order: arrivals, action: action)
        item.position = heap.count
        heap.append(item)
        siftUp(from: item.position)
        rearm()
        return item
    }

    package func remove(_ item: Item) {
        guard item.position >= 0 else { return }
        take(at: item.position).action = nil
        rearm()
    }

    /// Lets go of everything; nothing of it runs.
    package func removeAll() {
        let items = heap
        heap = []
        for item in items {
            item.position = -1
            item.action = nil
        }
        rearm()
    }

    /// Runs everything that is due by the back end's clock, then arms it for the rest.
    package func runDue() {
        armed = nil
        while let due = nextDue, due <= backend.now { runNext() }
        rearm()
    }

    /// Runs the earliest item, whatever the time.
    package func runNext() {
        takeNext()?()
    }

    /// Takes the earliest item out, for who runs it outside a lock.
    package func takeNext() -> (() -> Void)? {
        guard !heap.isEmpty else { return nil }
        let item = take(at: 0)
        defer { item.action = nil }
        return item.action
    }

    private func rearm() {
        guard armed != nextDue else { return }
        armed = nextDue
        if let armed { backend.arm(at: armed) } else { backend.disarm() }
    }

    private func take(at position: Int) -> Item {
        let item = heap[position]
        let last = heap.removeLast()
        if last !== item {
            heap[position] = last
            last.position = position
            siftUp(from: position)
            siftDown(from: last.position)
        }
        item.position = -1
        return item
    }

    private func siftUp(from start: Int) {
        var child = start
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].isBefore(heap[parent]) else { return }
            exchange(child, parent)
            child = parent
        }
    }

    private func siftDown(from start: Int) {
        var parent = start
        while true {
            let left = 2 * parent + 1
            guard left < heap.count else { return }
            let right = left + 1
            let child = right < heap.count && heap[right].isBefore(heap[left]) ? right : left
            guard heap[child].isBefore(heap[parent]) else { return }
            exchange(parent, child)
            parent = child
        }
    }

    private func exchange(_ left: Int, _ right: Int) {
        heap.swapAt(left, right)
        heap[left].position = left
        heap[right].position = right
    }
}
