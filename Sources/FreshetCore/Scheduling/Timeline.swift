/// The clock and timer of a ``Timeline``. A loop implements it with its timer, a virtual scheduler with a value.
@usableFromInline
package protocol TimerBackend {
    associatedtype Time: Comparable

    var now: Time { get }
    /// Requests a call of ``Timeline/runDue()`` at `due`, and replaces the previous request.
    func arm(at due: Time)
    func disarm()
}

/// Orders timed work by due time, and by arrival where the due times are equal. Real and virtual time share this
/// implementation.
///
/// Confined to its scheduler's thread. A canceled item is removed at once, so that a million requests with a timeout of
/// a minute do not leave a million items behind. Inlinable, so that the module of each back end gets specialized code.
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

    /// An item with its sort keys, so that a comparison does not have to read the item.
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
    @usableFromInline var isRunningDue = false

    @inlinable
    package init(backend: Backend) {
        self.backend = backend
    }

    /// The due times of all items, in no order.
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

    /// Removes all items without running them.
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

    /// Runs the items that are due at the time of the call, then arms the back end for the next item.
    ///
    /// Items that are inserted or become due meanwhile wait for the next call. Otherwise slow or short timers would
    /// delay everything else on their thread for ever.
    @inlinable
    package func runDue() {
        let (now, last) = (backend.now, arrivals)
        isRunningDue = true
        while let first = heap.first, first.due <= now, first.order <= last { runNext() }
        isRunningDue = false
        armed = nil
        rearm()
    }

    /// Runs the earliest item, even if it is not due.
    @inlinable
    package func runNext() {
        popNext()?()
    }

    /// Removes the earliest item and returns its action, for callers that run it outside a lock.
    @inlinable
    package func popNext() -> (() -> Void)? {
        guard !heap.isEmpty else { return nil }
        let item = remove(at: 0)
        defer { item.action = nil }
        return item.action
    }

    @inlinable
    func rearm() {
        // During a pass, its end arms the back end once for all changes.
        guard !isRunningDue, armed != nextDue else { return }
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

    // Both functions move a hole to the position of `entry`, and store `entry` there.

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
