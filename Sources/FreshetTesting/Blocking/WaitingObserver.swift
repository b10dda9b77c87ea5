import FreshetCore
import Glibc

/// Records the events of a stream for a thread that sleeps until the stream has ended.
// Unchecked: all mutable state is accessed only under the lock.
final class WaitingObserver<Element>: ObserverType, @unchecked Sendable {
    private let deadline: TimeLimit?
    private let lock: UnsafeMutablePointer<pthread_mutex_t> = .allocate(capacity: 1)
    private let ended: UnsafeMutablePointer<pthread_cond_t> = .allocate(capacity: 1)
    private var elements: [Element] = []
    private var end: Event<Element>?

    init(until deadline: TimeLimit?) {
        self.deadline = deadline
        lock.initialize(to: pthread_mutex_t())
        pthread_mutex_init(lock, nil)
        ended.initialize(to: pthread_cond_t())
        TimeLimit.prepare(ended)
    }

    deinit {
        pthread_cond_destroy(ended)
        ended.deallocate()
        pthread_mutex_destroy(lock)
        lock.deallocate()
    }

    func on(_ event: Event<Element>) {
        pthread_mutex_lock(lock)
        if let element = event.element {
            elements.append(element)
        } else {
            end = event
            pthread_cond_signal(ended)
        }
        pthread_mutex_unlock(lock)
        if event.isStopEvent { MainThreadWork.current?.interrupt() }
    }

    /// Runs the main thread's work for at most a second, and returns whether this is the main thread. The caller holds
    /// the lock, which this function releases while the work runs.
    private func hasDoneWork() -> Bool {
        guard let work = MainThreadWork.current else { return false }
        pthread_mutex_unlock(lock)
        defer { pthread_mutex_lock(lock) }
        return work.run(min(deadline?.seconds ?? 1, 1))
    }

    func checkDeadline() throws {
        if deadline?.hasPassed == true { throw RxError.timeout }
    }

    /// Waits until the stream has ended or the deadline has passed. The main thread runs its work instead of sleeping.
    func result() -> MaterializedSequenceResult<Element> {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        while end == nil {
            if deadline?.hasPassed == true { return .failed(elements: elements, error: RxError.timeout) }
            if hasDoneWork() { continue }
            // The sleep is short, because another thread can create the first scheduler for this thread meanwhile.
            let interval = TimeLimit(in: 0.1)
            (deadline.map { min($0, interval) } ?? interval).wait(for: ended, lock)
        }
        guard let error = end?.error else { return .completed(elements: elements) }
        return .failed(elements: elements, error: error)
    }
}

/// A point in time on the monotonic clock.
struct TimeLimit: Sendable, Comparable {
    private let nanoseconds: UInt64

    static func < (left: TimeLimit, right: TimeLimit) -> Bool { left.nanoseconds < right.nanoseconds }

    /// - Parameter seconds: the time from now, at most some centuries. A negative time and NaN are no time.
    init(in seconds: Double) {
        nanoseconds = Self.now + (seconds > 0 ? UInt64(min(seconds, 1e10) * 1e9) : 0)
    }

    var hasPassed: Bool { Self.now >= nanoseconds }

    /// The time until this point in seconds, or zero if it has passed.
    var seconds: Double { Double(nanoseconds - min(nanoseconds, Self.now)) * 1e-9 }

    private static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// Initializes `condition` for waiting with a deadline.
    static func prepare(_ condition: UnsafeMutablePointer<pthread_cond_t>) {
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    /// Waits for `condition`, at most until this point in time.
    func wait(
        for condition: UnsafeMutablePointer<pthread_cond_t>, _ lock: UnsafeMutablePointer<pthread_mutex_t>
    ) {
        var due = timespec(nanoseconds: nanoseconds)
        pthread_cond_timedwait(condition, lock, &due)
    }
}

extension timespec {
    fileprivate init(nanoseconds: UInt64) {
        self.init(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    }
}
