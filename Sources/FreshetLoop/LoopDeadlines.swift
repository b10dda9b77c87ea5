package import FreshetCore

/// Deadlines on a loop: to set one and to take it back takes constant time, no closure and no move of a timer.
///
/// Most are set for the same few spans, so that each comes after those that were set before: they stand in a few lines, each
/// in order by itself. A line's timer is set for its first, and stays when that leaves: waking once for nothing is
/// cheaper. What fits into no line goes into the loop's timeline.
///
/// Each is put off by less than a 64th of its span, to a tick that it shares with others: what thousands wait for then
/// wakes the loop a few times, and not once for each.
// Unchecked: lines and entries are touched under the lock, timers on the loop's thread.
package final class LoopDeadlines: @unchecked Sendable {
    package final class Entry: Disposable, @unchecked Sendable {
        package let due: Instant
        // Held: what is left of them after the loop's end is not set any more.
        private let deadlines: LoopDeadlines
        @exclusivity(unchecked) fileprivate var target: (any DeadlineTarget)?
        @exclusivity(unchecked) fileprivate var line: Line?
        @exclusivity(unchecked) fileprivate unowned(unsafe) var earlier: Entry?
        @exclusivity(unchecked) fileprivate var later: Entry?
        /// In the timeline, if there was no line for it.
        @exclusivity(unchecked) fileprivate var item: Timeline<LoopTimerBackend>.Item?

        fileprivate init(_ due: Instant, _ target: any DeadlineTarget, in deadlines: LoopDeadlines) {
            self.due = due
            self.target = target
            self.deadlines = deadlines
        }

        package func dispose() { deadlines.remove(self) }
    }

    fileprivate final class Line: @unchecked Sendable {
        @exclusivity(unchecked) var first: Entry?
        @exclusivity(unchecked) unowned(unsafe) var last: Entry?
        /// When its timer fires, or will once the loop comes to set it.
        @exclusivity(unchecked) var armed: Instant?
        @exclusivity(unchecked) var timer: Timeline<LoopTimerBackend>.Item?

        /// Whether its last is not later.
        func takes(_ due: Instant) -> Bool {
            guard let last else { return true }
            return last.due <= due
        }
    }

    private static let lineLimit = 8

    private unowned let loop: Loop
    private let lock = Lock()
    @exclusivity(unchecked) private var lines: [Line] = []

    init(on loop: Loop) {
        self.loop = loop
    }

    /// - Parameter now: the time by which `due` was reckoned, from which its span is known.
    package func set(at due: Instant, from now: Instant, for target: any DeadlineTarget) -> Entry {
        let due = due.onTick(from: now)
        let entry = Entry(due, target, in: self)
        lock.lock()
        let line = line(for: due)
        var arms = false
        if let line {
            entry.line = line
            entry.earlier = line.last
            if let last = line.last { last.later = entry } else { line.first = entry }
            line.last = entry
            arms = line.armed.map { due < $0 } ?? true
            if arms { line.armed = due }
        }
        lock.unlock()
        if line == nil || arms { onLoop { [self] in settle(entry, line) } }
        return entry
    }

    private func line(for due: Instant) -> Line? {
        for index in lines.indices where lines[index].takes(due) { return lines[index] }
        guard lines.count < Self.lineLimit else { return nil }
        let line = Line()
        lines.append(line)
        return line
    }

    private func remove(_ entry: Entry) {
        lock.lock()
        let target = unlink(entry)
        lock.unlock()
        guard target != nil, entry.line == nil else { return }
        onLoop { [self] in
            if let item = entry.item { loop.timers.remove(item) }
            entry.item = nil
        }
    }

    /// - Returns: what it was set for, to be let go of without the lock.
    private func unlink(_ entry: Entry) -> (any DeadlineTarget)? {
        guard let target = entry.target else { return nil }
        entry.target = nil
        guard let line = entry.line else { return target }
        let (earlier, later) = (entry.earlier, entry.later)
        if let later { later.earlier = earlier } else { line.last = earlier }
        if let earlier { earlier.later = later } else { line.first = later }
        entry.earlier = nil
        entry.later = nil
        return target
    }

    private func onLoop(_ work: @escaping @Sendable () -> Void) {
        if loop.isCurrent { work() } else { loop.execute(work) }
    }

    // MARK: The loop

    /// Takes back the timers of lines in which nothing waits any more, for a loop that is to sleep long.
    package func trim() {
        loop.preconditionOnLoop()
        var hasEmptied = false
        for line in lock.withLock({ lines }) where line.timer != nil {
            let isEmpty = lock.withLock {
                guard line.first == nil else { return false }
                line.armed = nil
                return true
            }
            guard isEmpty else { continue }
            arm(line)
            hasEmptied = true
        }
        if hasEmptied { loop.timers.backend.settle(at: loop.timers.nextDue) }
    }

    private func settle(_ entry: Entry, _ line: Line?) {
        if let line { return arm(line) }
        guard lock.withLock({ entry.target != nil }) else { return }
        entry.item = loop.timers.insert(at: entry.due) { [self] in
            entry.item = nil
            lock.withLock { unlink(entry) }?.deadlineReached()
        }
    }

    private func arm(_ line: Line) {
        if let timer = line.timer { loop.timers.remove(timer) }
        guard let due = lock.withLock({ line.armed }) else { return line.timer = nil }
        line.timer = loop.timers.insert(at: due) { [self] in
            line.timer = nil
            fire(line)
        }
    }

    private func fire(_ line: Line) {
        let now = loop.now
        while true {
            lock.lock()
            guard let first = line.first, first.due <= now else { break }
            let target = unlink(first)
            lock.unlock()
            target?.deadlineReached()
        }
        line.armed = line.first?.due
        lock.unlock()
        arm(line)
    }

    /// Lets go of everything; nothing of it is told.
    func removeAll() {
        lock.lock()
        var left: [(any DeadlineTarget)?] = []
        for line in lines {
            while let first = line.first { left.append(unlink(first)) }
            line.armed = nil
            line.timer = nil
        }
        lock.unlock()
    }
}

extension Instant {
    /// The next tick: the largest power of two of attoseconds, which take no division, that is at most a 64th of the span
    /// from `now`. A span under 128 ns has none.
    fileprivate func onTick(from now: Instant) -> Instant {
        let due = sinceStart.attoseconds
        let span = due - now.sinceStart.attoseconds
        guard span >= 128_000_000_000, due < .max / 2 else { return self }
        let tick = (1 as Int128) &<< Int128(121 - span.leadingZeroBitCount)
        return Instant(sinceStart: Duration(attoseconds: (due + tick - 1) & -tick))
    }
}

extension LoopScheduler: DeadlineScheduler {
    package func setDeadline(after span: Duration, for target: any DeadlineTarget) -> any Disposable & AnyObject {
        let now = loop.now
        return loop.deadlines.set(at: now.advanced(by: span), from: now, for: target)
    }
}
