import Glibc
import Workload

/// A thread and the elements that wait for it, as one writes it by hand: a mutex, a condition, and two arrays in turn.
// Unchecked: `waiting` and `isOver` are touched under the mutex.
final class Worker: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private let receive: @Sendable (Int) -> Void
    private var waiting: [Int] = []
    private var isOver = false
    private var thread = pthread_t()

    init(_ receive: @escaping @Sendable (Int) -> Void) {
        self.receive = receive
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
        pthread_create(
            &thread, nil,
            { argument in
                Unmanaged<Worker>.fromOpaque(argument!).takeUnretainedValue().run()
                return nil
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit {
        pthread_mutex_destroy(mutex)
        pthread_cond_destroy(condition)
        mutex.deallocate()
        condition.deallocate()
    }

    func send(_ element: Int) {
        pthread_mutex_lock(mutex)
        waiting.append(element)
        let wakes = waiting.count == 1
        pthread_mutex_unlock(mutex)
        if wakes { pthread_cond_signal(condition) }
    }

    /// Returns when everything has been received.
    func end() {
        pthread_mutex_lock(mutex)
        isOver = true
        pthread_mutex_unlock(mutex)
        pthread_cond_signal(condition)
        pthread_join(thread, nil)
    }

    private func run() {
        var batch: [Int] = []
        while true {
            pthread_mutex_lock(mutex)
            while waiting.isEmpty && !isOver { pthread_cond_wait(condition, mutex) }
            swap(&waiting, &batch)
            pthread_mutex_unlock(mutex)
            if batch.isEmpty { return }
            for element in batch { receive(element) }
            batch.removeAll(keepingCapacity: true)
        }
    }
}

/// From thread to thread by hand.
public let handHop: MakeHop = { receive in
    let worker = Worker(receive)
    return Hop(send: worker.send, end: worker.end)
}
