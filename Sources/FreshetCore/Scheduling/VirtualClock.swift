/// A virtual time and the work that waits for it, ordered by the same ``Timeline`` as real time.
///
/// Any thread can insert work. The work runs on the thread that advances the clock.
final class VirtualClock<Converter: VirtualTimeConverterType>: Sendable {
    private typealias Moment = VirtualMoment<Converter>

    private struct State {
        let timeline: Timeline<VirtualBackend<Converter>>
        var current: Moment
        var isRunning = false

        func moment(at time: Converter.VirtualTimeUnit) -> Moment { Moment(time: time, converter: current.converter) }
    }

    private let state: Locked<State>

    init(_ time: Converter.VirtualTimeUnit, converter: Converter) {
        let start = Moment(time: time, converter: converter)
        state = Locked(State(timeline: Timeline(backend: VirtualBackend(now: start)), current: start))
    }

    var time: Converter.VirtualTimeUnit { state.withLock { $0.current.time } }

    /// The times of the waiting work, in no order.
    var waiting: [Converter.VirtualTimeUnit] { state.withLock { $0.timeline.dues.map(\.time) } }

    func insert<State>(_ item: ScheduledItem<State>, at time: Converter.VirtualTimeUnit) -> any Disposable {
        let entry = state.withLock { $0.timeline.insert(at: $0.moment(at: time)) { item.invoke() } }
        return VirtualWork(item: item, entry: entry, clock: self)
    }

    fileprivate func remove(_ entry: Timeline<VirtualBackend<Converter>>.Item) {
        state.withLock { $0.timeline.remove(entry) }
    }

    /// Runs all work that is due up to and at `limit`, each work item at its time. Without a limit it runs all work.
    ///
    /// - Returns: whether it ran. A call from one of the clock's own work items does not run.
    @discardableResult
    func run(until limit: Converter.VirtualTimeUnit?) -> Bool {
        if state.withLock({ exchange(&$0.isRunning, with: true) }) { return false }
        while let action = next(until: limit) { action() }
        stop()
        return true
    }

    private func next(until limit: Converter.VirtualTimeUnit?) -> (() -> Void)? {
        state.withLock { state in
            guard state.isRunning, let due = state.timeline.nextDue else { return nil }
            if let limit, due > state.moment(at: limit) { return nil }
            state.current = max(state.current, due)
            return state.timeline.popNext()
        }
    }

    func set(_ time: Converter.VirtualTimeUnit) {
        state.withLock { $0.current = $0.moment(at: time) }
    }

    func stop() {
        state.withLock { $0.isRunning = false }
    }
}

/// A virtual time, compared by its converter.
struct VirtualMoment<Converter: VirtualTimeConverterType>: Comparable {
    let time: Converter.VirtualTimeUnit
    let converter: Converter

    static func < (left: Self, right: Self) -> Bool {
        left.converter.compareVirtualTime(left.time, right.time) == .lessThan
    }

    static func == (left: Self, right: Self) -> Bool {
        left.converter.compareVirtualTime(left.time, right.time) == .equal
    }
}

/// A back end without a timer: the caller that advances the clock removes the work.
struct VirtualBackend<Converter: VirtualTimeConverterType>: TimerBackend {
    let now: VirtualMoment<Converter>

    func arm(at due: VirtualMoment<Converter>) {}
    func disarm() {}
}

/// A work item and its entry in the virtual timeline. Disposing of the work removes the entry.
// Unchecked: the entry is accessed only under the clock's lock.
private final class VirtualWork<State, Converter: VirtualTimeConverterType>: Cancelable, @unchecked Sendable {
    private let item: ScheduledItem<State>
    private let entry: Timeline<VirtualBackend<Converter>>.Item
    private let clock: VirtualClock<Converter>

    init(item: ScheduledItem<State>, entry: Timeline<VirtualBackend<Converter>>.Item, clock: VirtualClock<Converter>) {
        self.item = item
        self.entry = entry
        self.clock = clock
    }

    var isDisposed: Bool { item.isDisposed }

    func dispose() {
        item.dispose()
        clock.remove(entry)
    }
}
