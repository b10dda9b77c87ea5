public import FreshetCore

/// A point of virtual time. Source: RxTest's `TestTime`.
public typealias TestTime = Int

/// A scheduler whose time is a number that a test advances. Source: RxTest's `TestScheduler`.
///
/// Its work runs on the thread that calls `start` or `advanceTo`, so the closures of a test may capture variables of
/// the test. Work can be scheduled from any thread.
public final class TestScheduler: VirtualTimeScheduler<TestSchedulerVirtualTimeConverter>, @unchecked Sendable {
    /// The times of ``start(created:subscribed:disposed:create:)``, where nothing else is said.
    public enum Defaults {
        public static let created = 100
        public static let subscribed = 200
        public static let disposed = 1000
    }

    private let simulateProcessingDelay: Bool

    /// - Parameters:
    ///   - initialClock: the time at the beginning.
    ///   - resolution: how many seconds one unit of virtual time is.
    ///   - simulateProcessingDelay: whether what is scheduled for now, or before, runs one unit later.
    public init(initialClock: TestTime, resolution: Double = 1.0, simulateProcessingDelay: Bool = true) {
        self.simulateProcessingDelay = simulateProcessingDelay
        super.init(initialClock: initialClock, converter: TestSchedulerVirtualTimeConverter(resolution: resolution))
    }

    /// `time`; what is not in the future comes a unit later than now, if a processing delay is simulated.
    public override func adjustScheduledTime(_ time: VirtualTime) -> VirtualTime {
        let clock = clock
        return time > clock ? time : clock + (simulateProcessingDelay ? 1 : 0)
    }

    /// Runs `action` at `time`.
    public func scheduleAt(_ time: TestTime, action: @escaping () -> Void) {
        scheduleAbsoluteVirtual((), time: time) { _ in
            action()
            return Disposables.create()
        }
    }
}
