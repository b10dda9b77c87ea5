package import FreshetCore
import Synchronization

/// Keeps the deadlines of a loop. Setting or cancelling a deadline takes constant time, no allocation and no change of a timer.
///
/// Most deadlines have one of a few spans, so each is later than those of the same span that were set before. The deadlines are
/// kept in a few sorted lists, the lines. The timer of a line is set for its first deadline, and stays set if that deadline is
/// cancelled, because one needless wake-up is cheaper than moving the timer. A deadline that fits into no line is kept in the
/// loop's timeline.
///
/// Each deadline is delayed by less than a 64th of its span, to a tick that it shares with others. Thousands of
/// deadlines then wake the loop a few times instead of once each.
///
/// Used on the loop's thread alone. ``LoopScheduler`` accepts deadlines from other threads.
package final class LoopDeadlines {
    /// The number that identifies a deadline; 0 identifies none.
    package typealias Number = UInt64

    /// An entry for one deadline. When that deadline has fired or is cancelled, a later deadline uses the entry.
    private struct Entry {
        /// The time of the deadline in attoseconds, as one integer, because comparing integers is fast.
        var due: Int128 = 0
        var target: (any DeadlineTarget)?
        /// Distinguishes the deadline from the previous ones in this entry.
        var generation: UInt32 = 1
        var line = Entry.none
        /// The previous deadline of its line.
        var earlier = Entry.none
        /// The next deadline of its line, or, if this entry is free, the next free entry.
        var later = Entry.none

        static let none: Int32 = -1
    }

    private struct Line {
        var first = Entry.none
        var last = Entry.none
        /// The time for which the timer is set, in attoseconds.
        var armed = Int128.max
        var timer: Timeline<LoopTimerBackend>.Item?
    }

    private static let lineLimit = 8
    private static let lastList = Atomic<UInt64>(0)

    /// Distinguishes the lists of a process.
    let list = LoopDeadlines.lastList.add(1, ordering: .relaxed).newValue
    private let timers: Timeline<LoopTimerBackend>
    // Allocated by hand, because an array checks its memory at each access.
    private var entries = UnsafeMutablePointer<Entry>.allocate(capacity: 0)
    private var capacity = 0
    private var count = 0
    private var free = Entry.none
    private let lines = UnsafeMutablePointer<Line>.allocate(capacity: LoopDeadlines.lineLimit)
    private var lineCount = 0
    /// The deadlines that fit into no line and are kept in the timeline.
    private var inTimeline: [Number: Timeline<LoopTimerBackend>.Item] = [:]
    private var isOver = false

    init(on timers: Timeline<LoopTimerBackend>) {
        self.timers = timers
    }

    deinit {
        entries.deinitialize(count: count).deallocate()
        lines.deinitialize(count: lineCount).deallocate()
    }

    /// - Parameter now: the time from which `due` was calculated. The difference is the span of the deadline.
    package func set(at due: Instant, from now: Instant, for target: any DeadlineTarget) -> Number {
        if isOver { return 0 }
        let due = due.onTick(from: now)
        let index = allocateEntry()
        let entry = entries + Int(index)
        let attoseconds = due.sinceStart.attoseconds
        entry.pointee.due = attoseconds
        entry.pointee.target = target
        let number = number(of: index)
        guard let lineIndex = line(for: attoseconds) else {
            inTimeline[number] = timers.insert(at: due) { [unowned self] in
                inTimeline[number] = nil
                freeEntry(index)?.deadlineReached()
            }
            return number
        }
        let line = lines + Int(lineIndex)
        let last = line.pointee.last
        entry.pointee.line = lineIndex
        entry.pointee.earlier = last
        if last != Entry.none { entries[Int(last)].later = index } else { line.pointee.first = index }
        line.pointee.last = index
        if attoseconds < line.pointee.armed { arm(line, at: due) }
        return number
    }

    package func cancel(_ number: Number) {
        let index = Int32(truncatingIfNeeded: number)
        guard number != 0, self.number(of: index) == number, entries[Int(index)].target != nil else { return }
        if entries[Int(index)].line == Entry.none, let item = inTimeline.removeValue(forKey: number) {
            timers.remove(item)
        }
        _ = freeEntry(index)
    }

    /// Removes the timers of empty lines, so that they do not wake a loop that sleeps for long.
    package func trim() {
        var hasEmptied = false
        for index in 0..<lineCount where lines[index].first == Entry.none && lines[index].timer != nil {
            arm(lines + index, at: nil)
            hasEmptied = true
        }
        if hasEmptied { timers.backend.settle(at: timers.nextDue) }
    }

    /// Removes all deadlines without calling their targets. Deadlines that are set afterwards are ignored.
    func removeAll() {
        isOver = true
        for index in 0..<Int32(count) { _ = freeEntry(index) }
        inTimeline = [:]
        for index in 0..<lineCount { lines[index] = Line() }
    }

    // MARK: Entries

    private func number(of index: Int32) -> Number {
        guard index >= 0, index < count else { return 0 }
        return Number(entries[Int(index)].generation) << 32 | Number(index)
    }

    private func allocateEntry() -> Int32 {
        if free != Entry.none {
            let index = free
            free = entries[Int(index)].later
            entries[Int(index)].later = Entry.none
            return index
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

    /// - Returns: the target of the deadline; `nil` if the entry is free.
    private func freeEntry(_ index: Int32) -> (any DeadlineTarget)? {
        let entry = entries + Int(index)
        guard let target = entry.pointee.target.take() else { return nil }
        let (line, earlier, later) = (entry.pointee.line, entry.pointee.earlier, entry.pointee.later)
        if line != Entry.none {
            if later != Entry.none { entries[Int(later)].earlier = earlier } else { lines[Int(line)].last = earlier }
            if earlier != Entry.none { entries[Int(earlier)].later = later } else { lines[Int(line)].first = later }
        }
        entry.pointee.generation = max(1, entry.pointee.generation &+ 1)
        entry.pointee.line = Entry.none
        entry.pointee.earlier = Entry.none
        entry.pointee.later = free
        free = index
        return target
    }

    // MARK: Lines

    /// Returns the first line whose last deadline is not later than `due`. Adds a line if there is none; returns `nil`
    /// at the limit.
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
            freeEntry(line.pointee.first)?.deadlineReached()
        }
        guard !isOver else { return }
        let first = line.pointee.first
        arm(line, at: first == Entry.none ? nil : Instant(sinceStart: Duration(attoseconds: entries[Int(first)].due)))
    }
}

extension Instant {
    /// Rounds up to the next tick. A tick is the largest power of two of attoseconds that is at most a 64th of the span
    /// from `now`, because rounding to a power of two needs no division. A span below 128 ns is not rounded.
    func onTick(from now: Instant) -> Instant {
        let due = sinceStart.attoseconds
        let span = due - now.sinceStart.attoseconds
        guard span >= 128_000_000_000, due < .max / 2 else { return self }
        let tick = (1 as Int128) &<< Int128(121 - span.leadingZeroBitCount)
        return Instant(sinceStart: Duration(attoseconds: (due + tick - 1) & -tick))
    }
}
