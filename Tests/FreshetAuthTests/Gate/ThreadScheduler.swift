import FreshetCore
import Glibc

/// The threads of a test. They all end before the test does.
final class Threads: @unchecked Sendable {
    private static let shared = Threads()
    private let running = Locked<[pthread_t]>([])

    static func start(_ work: @escaping @Sendable () -> Void) { shared.run(work) }

    static func joinAll() { shared.join() }

    func run(_ work: @escaping @Sendable () -> Void) {
        var thread = pthread_t()
        let box = Unmanaged.passRetained(Work(work))
        pthread_create(
            &thread, nil,
            { pointer in
                Unmanaged<Work>.fromOpaque(pointer!).takeRetainedValue().work()
                return nil
            }, box.toOpaque())
        running.withLock { $0.append(thread) }
    }

    func join() {
        while let thread = running.withLock({ $0.popLast() }) { pthread_join(thread, nil) }
    }

    private final class Work: Sendable {
        let work: @Sendable () -> Void
        init(_ work: @escaping @Sendable () -> Void) { self.work = work }
    }
}

/// Runs each piece of work on a thread of its own. Delayed work never runs.
struct ThreadScheduler: SchedulerType {
    var now: Instant { Instant(sinceStart: .zero) }

    func schedule<StateType: Sendable>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let item = ScheduledItem(state: state, action: action)
        Threads.start { item.invoke() }
        return item
    }

    func scheduleRelative<StateType: Sendable>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        Disposables.create()
    }

    func schedulePeriodic<StateType: Sendable>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> StateType
    ) -> any Disposable {
        Disposables.create()
    }
}
