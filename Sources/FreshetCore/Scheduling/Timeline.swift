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
        @usableFromInline var position = -1
        @usableFromInline var action: (() -> Void)?

        @inlinable
        init(action: @escaping () -> Void) {
            self.action = action
        }
    }

    /// An item with what orders it, so that a comparison need not look the item up.
    @usableFromInline
    struct Entry {
        @usableFromInline let due: Backend.Time
        @usableFromInline let order: UInt64
        @usableFromInline let item: Item

        @inlinable
        init(due: Backend.Time, order: UInt64, item: Item) {
            self.due = due
            self.order = order
            self.item = item
        }

        @inlinable
        func isBefore(_ other: Entry) -> Bool {
            due == other.due ? order < other.order : due < other.due
        }
    }

    @usableFromInline package let backend: Backend
    @usableFromInline var heap: [Entry] = []
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
        let item = Item(action: action)
        let entry = Entry(due: due, order: arrivals, item: item)
        heap.append(entry)
        siftUp(entry, from: heap.count - 1)
        rearm()
        return item
    }

    @inlinable
    package func remove(_ item: Item) {
        guard item.position >= 0 else { return }
        remove(at: item.position).action = nil
        rearm()
    }

    /// Lets go of everything; nothing of it runs.
    @inlinable
    package func removeAll() {
        let entries = heap
        heap = []
        for entry in entries {
            entry.item.position = -1
            entry.item.action = nil
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
        popNext()?()
    }

    /// Takes the earliest item out, for who runs it outside a lock.
    @inlinable
    package func popNext() -> (() -> Void)? {
        guard !heap.isEmpty else { return nil }
        let item = remove(at: 0)
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
    func remove(at position: Int) -> Item {
        let item = heap[position].item
        let last = heap.removeLast()
        if last.item !== item {
            if position > 0, last.isBefore(heap[(position - 1) / 2]) {
                siftUp(last, from: position)
            } else {
                siftDown(last, from: position)
            }
        }
        item.position = -1
        return item
    }

    // Both move a hole to where `entry` belongs, and put it there.

    @inlinable
    func siftUp(_ entry: Entry, from start: Int) {
        heap.withUnsafeMutableBufferPointer { heap in
            var hole = start
            while hole > 0 {
                let parent = (hole - 1) / 2
                guard entry.isBefore(heap[parent]) else { break }
                heap[hole] = heap[parent]
                heap[hole].item.position = hole
                hole = parent
            }
            heap[hole] = entry
            entry.item.position = hole
        }
    }

    @inlinable
    func siftDown(_ entry: Entry, from start: Int) {
        heap.withUnsafeMutableBufferPointer { heap in
            var hole = start
            while true {
                var child = 2 * hole + 1
                guard child < heap.count else { break }
                if child + 1 < heap.count, heap[child + 1].isBefore(heap[child]) { child += 1 }
                guard heap[child].isBefore(entry) else { break }
                heap[hole] = heap[child]
                heap[hole].item.position = hole
                hole = child
            }
            heap[hole] = entry
            entry.item.position = hole
        }
    }
}
