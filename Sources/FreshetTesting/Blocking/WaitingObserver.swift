import FreshetCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Writes down what a stream says, for a thread that sleeps until it has ended.
// Unchecked: everything that changes is touched under the lock alone.
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

    /// Whether this is the main thread, and has done its work for a moment. Called under the lock, which it lets go of.
    private func hasDoneWork() -> Bool {
        guard let work = MainThreadWork.current else { return false }
        pthread_mutex_unlock(lock)
        defer { pthread_mutex_lock(lock) }
        return work.run(min(deadline?.seconds ?? 1, 1))
    }

    func checkDeadline() throws {
        if deadline?.hasPassed == true { throw RxError.timeout }
    }

    /// Sleeps until the stream has ended, or the deadline has passed. The main thread does its work instead of sleeping.
    func result() -> MaterializedSequenceResult<Element> {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        while end == nil {
            if deadline?.hasPassed == true { return .failed(elements: elements, error: RxError.timeout) }
            if hasDoneWork() { continue }
            // Another thread may make the first scheduler for this one while it sleeps.
            let glance = TimeLimit(in: 0.1)
            (deadline.map { min($0, glance) } ?? glance).wait(for: ended, lock)
        }
        guard let error = end?.error else { return .completed(elements: elements) }
        return .failed(elements: elements, error: error)
    }
}

/// A moment on the clock that nobody sets.
struct TimeLimit: Sendable, Comparable {
    private let nanoseconds: UInt64

    static func < (left: TimeLimit, right: TimeLimit) -> Bool { left.nanoseconds < right.nanoseconds }

    /// - Parameter seconds: how far away it is; at most some centuries.
    init(in seconds: Double) {
        nanoseconds = Self.now + UInt64(min(max(seconds, 0), 1e10) * 1e9)
    }

    var hasPassed: Bool { Self.now >= nanoseconds }

    /// How far away it is.
    var seconds: Double { Double(nanoseconds - min(nanoseconds, Self.now)) * 1e-9 }

    private static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// Makes `condition` one that can be waited for until a deadline.
    static func prepare(_ condition: UnsafeMutablePointer<pthread_cond_t>) {
        #if canImport(Darwin)
            pthread_cond_init(condition, nil)
        #else
            var attributes = pthread_condattr_t()
            pthread_condattr_init(&attributes)
            pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
            pthread_cond_init(condition, &attributes)
            pthread_condattr_destroy(&attributes)
        #endif
    }

    /// Waits, but not longer than until this deadline.
    func wait(
        for condition: UnsafeMutablePointer<pthread_cond_t>, _ lock: UnsafeMutablePointer<pthread_mutex_t>
    ) {
        #if canImport(Darwin)
            let now = Self.now
            var rest = timespec(nanoseconds: nanoseconds > now ? nanoseconds - now : 0)
            pthread_cond_timedwait_relative_np(condition, lock, &rest)
        #else
            var due = timespec(nanoseconds: nanoseconds)
            pthread_cond_timedwait(condition, lock, &due)
        #endif
    }
}

extension timespec {
    fileprivate init(nanoseconds: UInt64) {
        self.init(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    }
}
