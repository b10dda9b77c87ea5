/// A virtual time and the work that waits for it, ordered by the same ``Timeline`` as real time.
///
/// Any thread can insert work. The work runs on the thread that advances the clock.
final class VirtualClock<Converter: VirtualTimeConverterType>: @unchecked Sendable {
    private typealias Moment = VirtualMoment<Converter>

    private let converter: Converter
    private let lock = Lock()
    // Accessed only under the lock.
    private let timeline: Timeline<VirtualBackend<Converter>>
    private var current: Moment
    private var isRunning = false

    init(_ time: Converter.VirtualTimeUnit, converter: Converter) {
        self.converter = converter
        current = Moment(time: time, converter: converter)
        timeline = Timeline(backend: VirtualBackend(now: current))
    }

    var time: Converter.VirtualTimeUnit { lock.withLock { current.time } }

    /// The times of the waiting work, in no order.
    var waiting: [Converter.VirtualTimeUnit] { lock.withLock { timeline.dues.map(\.time) } }

    func insert<State>(_ item: ScheduledItem<State>, at time: Converter.VirtualTimeUnit) -> any Disposable {
        let due = Moment(time: time, converter: converter)
        let place = lock.withLock { timeline.insert(at: due) { item.invoke() } }
        return VirtualWork(item: item, place: place, clock: self)
    }

    fileprivate func remove(_ place: Timeline<VirtualBackend<Converter>>.Item) {
        lock.withLock { timeline.remove(place) }
    }

    /// Runs all work that is due up to and at `limit`, each work item at its time. Without a limit it runs all work.
    ///
    /// - Returns: whether it ran. A call from one of the clock's own work items does not run.
    @discardableResult
    func run(until limit: Converter.VirtualTimeUnit?) -> Bool {
        let isFirst = lock.withLock {
            defer { isRunning = true }
            return !isRunning
        }
        guard isFirst else { return false }
        let limit = limit.map { Moment(time: $0, converter: converter) }
        while let action = next(until: limit) { action() }
        lock.withLock { isRunning = false }
        return true
    }

    private func next(until limit: Moment?) -> (() -> Void)? {
        lock.withLock {
            guard isRunning, let due = timeline.nextDue else { return nil }
            if let limit, due > limit { return nil }
            current = max(current, due)
            return timeline.popNext()
        }
    }

    func set(_ time: Converter.VirtualTimeUnit) {
        lock.withLock { current = Moment(time: time, converter: converter) }
    }

    func stop() {
        lock.withLock { isRunning = false }
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
    private let place: Timeline<VirtualBackend<Converter>>.Item
    private let clock: VirtualClock<Converter>

    init(item: ScheduledItem<State>, place: Timeline<VirtualBackend<Converter>>.Item, clock: VirtualClock<Converter>) {
        self.item = item
        self.place = place
        self.clock = clock
    }

    var isDisposed: Bool { item.isDisposed }

    func dispose() {
        item.dispose()
        clock.remove(place)
    }
}
