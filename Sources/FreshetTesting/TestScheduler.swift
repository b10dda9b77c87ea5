public import FreshetCore

/// A point of virtual time. Source: RxTest's `TestTime`.
public typealias TestTime = Int

/// A scheduler whose time is a number that a test advances. Source: RxTest's `TestScheduler`.
///
/// A wait of less than one unit takes a unit, so a periodic timer always advances the clock. With the default resolution a unit
/// is a second.
///
/// Its work runs on the thread that calls `start` or `advanceTo`, so the closures of a test can capture variables of
/// the test. Any thread can schedule work.
public final class TestScheduler: VirtualTimeScheduler<TestSchedulerVirtualTimeConverter>, @unchecked Sendable {
    /// The default times of ``start(created:subscribed:disposed:create:)``.
    public enum Defaults {
        public static let created = 100
        public static let subscribed = 200
        public static let disposed = 1000
    }

    private let simulateProcessingDelay: Bool
    private let unit: Duration

    /// - Parameters:
    ///   - initialClock: the initial virtual time.
    ///   - resolution: the length of one unit of virtual time in seconds.
    ///   - simulateProcessingDelay: whether work that is scheduled for the current time or earlier runs one unit later.
    public init(initialClock: TestTime, resolution: Double = 1.0, simulateProcessingDelay: Bool = true) {
        self.simulateProcessingDelay = simulateProcessingDelay
        let converter = TestSchedulerVirtualTimeConverter(resolution: resolution)
        unit = converter.convertFromVirtualTime(1).sinceStart
        super.init(initialClock: initialClock, converter: converter)
    }

    public override func scheduleRelative<StateType>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping (StateType) -> any Disposable
    ) -> any Disposable {
        // Rounded to zero, the period of a timer would stop the clock for ever.
        super.scheduleRelative(state, dueTime: dueTime > .zero ? max(dueTime, unit) : dueTime, action: action)
    }

    /// Returns `time` if it is in the future. Otherwise it returns the current time, or one unit later if a processing
    /// delay is simulated.
    public override func adjustScheduledTime(_ time: VirtualTime) -> VirtualTime {
        let clock = clock
        if time > clock { return time }
        return simulateProcessingDelay && clock < .max ? clock + 1 : clock
    }

    /// Runs `action` at `time`.
    public func scheduleAt(_ time: TestTime, action: @escaping () -> Void) {
        scheduleAbsoluteVirtual((), time: time) { _ in
            action()
            return Disposables.create()
        }
    }
}
