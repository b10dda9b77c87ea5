/// What tells the time and wakes up: three functions. A loop has one over its timer, a virtual scheduler one over a value.
@usableFromInline
package protocol TimerBackend {
    associatedtype Time: Comparable

    var now: Time { get }
    /// Asks for ``Timeline/runDue()`` at `due`; replaces what was asked before.
    func arm(at due: Time)
    func disarm()
}

/// The ordering of timed work, one for real and for virtual time: by due time, and by arrival where that is the same.
///
/// Confined to its scheduler's thread. A cancelled item leaves at once, so that a million requests with a timeout of a
/// minute do not leave a million items behind. Inlinable, for the module of each back end to get code of its own.
@usableFromInline
package final class Timeline<Backend: TimerBackend> {
    @usableFromInline
    package final class Item {
        @usableFromInline package let due: Backend.Time
        @usableFromInline let order: UInt64
        @usableFromInline var position = -1
        @usableFromInline var action: (() -> Void)?

        @inlinable
        init(due: Backend.Time, order: UInt64, action: @escaping () -> Void) {
            self.due = due
            self.order = order
            self.action = action
        }

        @inlinable
        func isBefore(_ other: Item) -> Bool {
            due == other.due ? order < other.order : due < other.due
        }
    }

    @usableFromInline package let backend: Backend
    @usableFromInline var heap: [Item] = []
    @usableFromInline var arrivals: UInt64 = 0
    @usableFromInline var armed: Backend.Time?

    @inlinable
    package init(backend: Backend) {
        self.backend = backend
    }

    @inlinable package var isEmpty: Bool { heap.isEmpty }
    @inlinable package var count: Int { heap.count }
    /// When something is due, in no order.
    @inlinable package var dues: [Backend.Time] { heap.map(\.due) }
    @inlinable package var nextDue: Backend.Time? { heap.first?.due }

    @inlinable
    package func insert(at due: Backend.Time, _ action: @escaping () -> Void) -> Item {
        arrivals += 1
        let item = Item(due: due, order: arrivals, action: action)
        item.position = heap.count
        heap.append(item)
        siftUp(from: item.position)
        rearm()
        return item
    }

    @inlinable
    package func remove(_ item: Item) {
        guard item.position >= 0 else { return }
        take(at: item.position).action = nil
        rearm()
    }

    /// Lets go of everything; nothing of it runs.
    @inlinable
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
    @inlinable
    package func runDue() {
        armed = nil
        while let due = nextDue, due <= backend.now { runNext() }
        rearm()
    }

    /// Runs the earliest item, whatever the time.
    @inlinable
    package func runNext() {
        takeNext()?()
    }

    /// Takes the earliest item out, for who runs it outside a lock.
    @inlinable
    package func takeNext() -> (() -> Void)? {
        guard !heap.isEmpty else { return nil }
        let item = take(at: 0)
        defer { item.action = nil }
        return item.action
    }

    @inlinable
    func rearm() {
        guard armed != nextDue else { return }
        armed = nextDue
        if let armed { backend.arm(at: armed) } else { backend.disarm() }
    }

    @inlinable
    func take(at position: Int) -> Item {
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

    @inlinable
    func siftUp(from start: Int) {
        var child = start
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].isBefore(heap[parent]) else { return }
            exchange(child, parent)
            child = parent
        }
    }

    @inlinable
    func siftDown(from start: Int) {
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

    @inlinable
    func exchange(_ left: Int, _ right: Int) {
        heap.swapAt(left, right)
        heap[left].position = left
        heap[right].position = right
    }
}
