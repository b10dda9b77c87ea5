import FreshetCore

/// A back end whose time is a number.
struct VirtualBackend: TimerBackend {
    let now = Instant(sinceStart: .zero)

    func arm(at due: Instant) {}
    func disarm() {}
}

/// The time of a test and the work that waits for it, ordered by the production ``Timeline``.
///
/// Work can be left from any thread; it runs on the thread that advances the clock.
final class VirtualClock: @unchecked Sendable {
    private let lock = Lock()
    // Touched under the lock alone.
    private let timeline = Timeline(backend: VirtualBackend())
    private var current: TestTime
    private var isRunning = false

    init(_ time: TestTime) {
        current = time
    }

    var time: TestTime { lock.withLock { current } }

    private static func instant(_ time: TestTime) -> Instant {
        Instant(sinceStart: .seconds(time))
    }

    func insert(at time: TestTime, _ action: @escaping () -> Void) -> any Disposable {
        let item = lock.withLock { timeline.insert(at: Self.instant(time), action) }
        let handle = Handle(item: item)
        return Disposables.create { self.remove(handle.item) }
    }

    private func remove(_ item: Timeline<VirtualBackend>.Item) {
        lock.withLock { timeline.remove(item) }
    }

    /// Runs what is due up to and at `limit`, each piece at its time.
    ///
    /// - Returns: whether it ran at all, and not from inside a piece of its own work.
    @discardableResult
    func run(until limit: TestTime) -> Bool {
        let isFirst = lock.withLock {
            defer { isRunning = true }
            return !isRunning
        }
        guard isFirst else { return false }
        while let action = next(until: limit) { action() }
        lock.withLock { isRunning = false }
        return true
    }

    private func next(until limit: TestTime) -> (() -> Void)? {
        lock.withLock {
            guard isRunning, let due = timeline.nextDue, due <= Self.instant(limit) else { return nil }
            current = max(current, TestTime(due.sinceStart.components.seconds))
            return timeline.takeNext()
        }
    }

    func set(_ time: TestTime) {
        lock.withLock { current = time }
    }

    func stop() {
        lock.withLock { isRunning = false }
    }

    /// An item is touched under the clock's lock alone, and so may be handed about.
    private struct Handle: @unchecked Sendable {
        let item: Timeline<VirtualBackend>.Item
    }
}
