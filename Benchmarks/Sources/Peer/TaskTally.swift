import Glibc

/// A tally that tasks share, and the number of requests that none of them has taken yet.
// Unchecked: the lock guards it.
public final class TaskTally: @unchecked Sendable {
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private var shared: Tally
    private var unsent: Int

    private init(of name: String, _ options: PeerOptions) {
        pthread_mutex_init(lock, nil)
        unsent = options.requests
        shared = Tally(of: name, options)
    }

    deinit {
        pthread_mutex_destroy(lock)
        lock.deallocate()
    }

    private var tally: Tally { locked { shared } }

    /// Whether there is a request left, which the caller has to send.
    private func takesAnother() -> Bool {
        locked {
            unsent -= 1
            return unsent >= 0
        }
    }

    private func add(bytes: Int?, since start: UInt64) {
        locked { shared.add(bytes: bytes, since: start) }
    }

    private func locked<Result>(_ body: () -> Result) -> Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return body()
    }
}

extension TaskTally {
    /// Has so many tasks send one request after the other as are to be under way.
    ///
    /// - Parameter send: gives the number of the body's bytes, or `nil` if there was no right answer.
    public static func run(
        of name: String, _ options: PeerOptions, send: @escaping @Sendable () async -> Int?
    ) async -> Tally {
        let tasks = TaskTally(of: name, options)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<options.concurrency {
                group.addTask {
                    while tasks.takesAnother() {
                        let start = Clock.nanoseconds
                        tasks.add(bytes: await send(), since: start)
                    }
                }
            }
        }
        return tasks.tally
    }
}
