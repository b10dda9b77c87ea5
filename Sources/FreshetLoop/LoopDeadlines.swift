package import FreshetCore
import Synchronization

/// Deadlines on a loop: to set one and to take it back takes constant time, no memory and no move of a timer.
///
/// Most are set for the same few spans, so that each comes after those that were set before: they stand in a few lines, each
/// in order by itself. A line's timer is set for its first, and stays when that leaves: waking once for nothing is
/// cheaper. What fits into no line goes into the loop's timeline.
///
/// Each is put off by less than a 64th of its span, to a tick that it shares with others: what thousands wait for then
/// wakes the loop a few times, and not once for each. Used on the loop's thread alone; ``LoopScheduler`` takes them from
/// others.
package final class LoopDeadlines {
    /// What a deadline is known by; 0 is none.
    package typealias Number = UInt64

    /// A place, which the next deadline takes that is set after this one has left.
    private struct Entry {
        /// In attoseconds, which compare at once.
        var due: Int128 = 0
        var target: (any DeadlineTarget)?
        /// Tells it from those that had the place before.
        var turn: UInt32 = 1
        var line = Entry.none
        /// The places next to it in its line.
        var earlier = Entry.none
        /// Of a place that is free, the next that is.
        var later = Entry.none

        static let none: Int32 = -1
    }

    private struct Line {
        var first = Entry.none
        var last = Entry.none
        /// When its timer fires, in attoseconds.
        var armed = Int128.max
        var timer: Timeline<LoopTimerBackend>.Item?
    }

    private static let lineLimit = 8
    private static let lastList = Atomic<UInt64>(0)

    /// Tells the lists of a process apart.
    let list = LoopDeadlines.lastList.add(1, ordering: .relaxed).newValue
    private let timers: Timeline<LoopTimerBackend>
    // Memory of its own, for an array's is looked after at each access.
    private var entries = UnsafeMutablePointer<Entry>.allocate(capacity: 0)
    private var capacity = 0
    private var count = 0
    private var free = Entry.none
    private let lines = UnsafeMutablePointer<Line>.allocate(capacity: LoopDeadlines.lineLimit)
    private var lineCount = 0
    /// Those that stand in the timeline, for want of a line.
    private var apart: [Number: Timeline<LoopTimerBackend>.Item] = [:]
    private var isOver = false

    init(on timers: Timeline<LoopTimerBackend>) {
        self.timers = timers
    }

    deinit {
        entries.deinitialize(count: count).deallocate()
        lines.deinitialize(count: lineCount).deallocate()
    }

    /// - Parameter now: the time by which `due` was reckoned, from which its span is known.
    package func set(at due: Instant, from now: Instant, for target: any DeadlineTarget) -> Number {
        if isOver { return 0 }
        let due = due.onTick(from: now)
        let place = allocateSlot()
        let entry = entries + Int(place)
        let attoseconds = due.sinceStart.attoseconds
        entry.pointee.due = attoseconds
        entry.pointee.target = target
        let number = number(of: place)
        guard let index = line(for: attoseconds) else {
            apart[number] = timers.insert(at: due) { [unowned self] in
                apart[number] = nil
                freeSlot(place)?.deadlineReached()
            }
            return number
        }
        let line = lines + Int(index)
        let last = line.pointee.last
        entry.pointee.line = index
        entry.pointee.earlier = last
        if last != Entry.none { entries[Int(last)].later = place } else { line.pointee.first = place }
        line.pointee.last = place
        if attoseconds < line.pointee.armed { arm(line, at: due) }
        return number
    }

    package func cancel(_ number: Number) {
        let place = Int32(truncatingIfNeeded: number)
        guard number != 0, self.number(of: place) == number, entries[Int(place)].target != nil else { return }
        if entries[Int(place)].line == Entry.none, let item = apart.removeValue(forKey: number) {
            timers.remove(item)
        }
        _ = freeSlot(place)
    }

    /// Takes back the timers of lines in which nothing waits any more, for a loop that is to sleep long.
    package func trim() {
        var hasEmptied = false
        for index in 0..<lineCount where lines[index].first == Entry.none && lines[index].timer != nil {
            arm(lines + index, at: nil)
            hasEmptied = true
        }
        if hasEmptied { timers.backend.settle(at: timers.nextDue) }
    }

    /// Lets go of everything; nothing of it is told, nor of what is set from here on.
    func removeAll() {
        isOver = true
        for place in 0..<Int32(count) { _ = freeSlot(place) }
        apart = [:]
        for index in 0..<lineCount { lines[index] = Line() }
    }

    // MARK: Places

    private func number(of place: Int32) -> Number {
        guard place >= 0, place < count else { return 0 }
        return Number(entries[Int(place)].turn) << 32 | Number(place)
    }

    private func allocateSlot() -> Int32 {
        if free != Entry.none {
            let place = free
            free = entries[Int(place)].later
            entries[Int(place)].later = Entry.none
            return place
        }
        if count == capacity {
            capacity = max(16, capacity * 2)
            let larger = UnsafeMutablePointer<Entry>.allocate(capacity: capacity)
            larger.moveInitialize(from: entries, count: count)
            entries.deallocate()
            entries = larger
        }
        (entries + count).initialize(to: Entry())
        count += 1
        return Int32(count - 1)
    }

    /// - Returns: whom it was set for.
    private func freeSlot(_ place: Int32) -> (any DeadlineTarget)? {
        let entry = entries + Int(place)
        guard let target = entry.pointee.target.take() else { return nil }
        let (line, earlier, later) = (entry.pointee.line, entry.pointee.earlier, entry.pointee.later)
        if line != Entry.none {
            if later != Entry.none { entries[Int(later)].earlier = earlier } else { lines[Int(line)].last = earlier }
            if earlier != Entry.none { entries[Int(earlier)].later = later } else { lines[Int(line)].first = later }
        }
        entry.pointee.turn = max(1, entry.pointee.turn &+ 1)
        entry.pointee.line = Entry.none
        entry.pointee.earlier = Entry.none
        entry.pointee.later = free
        free = place
        return target
    }

    // MARK: Lines

    /// The first whose last is not later.
    private func line(for due: Int128) -> Int32? {
        for index in 0..<lineCount {
            let last = lines[index].last
            if last == Entry.none || entries[Int(last)].due <= due { return Int32(index) }
        }
        guard lineCount < Self.lineLimit else { return nil }
        (lines + lineCount).initialize(to: Line())
        lineCount += 1
        return Int32(lineCount - 1)
    }

    private func arm(_ line: UnsafeMutablePointer<Line>, at due: Instant?) {
        if let timer = line.pointee.timer { timers.remove(timer) }
        line.pointee.armed = due?.sinceStart.attoseconds ?? .max
        line.pointee.timer = due.map { due in
            timers.insert(at: due) { [unowned self] in
                line.pointee.timer = nil
                fire(line)
            }
        }
    }

    private func fire(_ line: UnsafeMutablePointer<Line>) {
        let now = timers.backend.now.sinceStart.attoseconds
        while line.pointee.first != Entry.none, entries[Int(line.pointee.first)].due <= now {
            freeSlot(line.pointee.first)?.deadlineReached()
        }
        guard !isOver else { return }
        let first = line.pointee.first
        arm(line, at: first == Entry.none ? nil : Instant(sinceStart: Duration(attoseconds: entries[Int(first)].due)))
    }
}

extension Instant {
    /// The next tick: the largest power of two of attoseconds, which take no division, that is at most a 64th of the span
    /// from `now`. A span under 128 ns has none.
    func onTick(from now: Instant) -> Instant {
        let due = sinceStart.attoseconds
        let span = due - now.sinceStart.attoseconds
        guard span >= 128_000_000_000, due < .max / 2 else { return self }
        let tick = (1 as Int128) &<< Int128(121 - span.leadingZeroBitCount)
        return Instant(sinceStart: Duration(attoseconds: (due + tick - 1) & -tick))
    }
}
