import Freshet
import Peer

#if canImport(Glibc)
    import Glibc
#endif

/// Asks on the main thread, which each loop hands the answers of a turn at its end.
// Unchecked: `answers` is guarded by the lock, the rest is the main thread's.
final class FromThread: @unchecked Sendable {
    private struct Answer {
        var bytes: Int?
        var start: UInt64
    }

    /// What a loop's turn has brought.
    // Unchecked: that loop's.
    private final class Ready: @unchecked Sendable {
        let loop: Loop
        var answers: [Answer] = []

        init(on loop: Loop) {
            self.loop = loop
        }
    }

    private let client: Client
    private let options: PeerOptions
    private let ready: [Ready]
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let hasAnswers = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var answers: [Answer] = []

    init(_ client: Client, _ options: PeerOptions) {
        self.client = client
        self.options = options
        ready = client.runtime.loops.map { Ready(on: $0) }
        pthread_mutex_init(lock, nil)
        pthread_cond_init(hasAnswers, nil)
    }

    deinit {
        pthread_mutex_destroy(lock)
        pthread_cond_destroy(hasAnswers)
        lock.deallocate()
        hasAnswers.deallocate()
    }

    func run() -> Tally {
        var tally = Tally(of: "freshet from another thread", options)
        var unsent = options.requests - options.concurrency
        for _ in 0..<options.concurrency { send() }
        var batch: [Answer] = []
        while tally.count < options.requests {
            wait(for: &batch)
            for answer in batch {
                tally.add(bytes: answer.bytes, since: answer.start)
                guard unsent > 0 else { continue }
                unsent -= 1
                send()
            }
        }
        return tally
    }

    private func send() {
        let start = Clock.nanoseconds
        client.send(keepsBody: options.keepsBody) { [self] bytes in
            guard let ready = ready.first(where: { $0.loop.isCurrent }) else { return }
            if ready.answers.isEmpty { ready.loop.afterTurn { [self] in handBack(ready) } }
            ready.answers.append(Answer(bytes: bytes, start: start))
        }
    }

    private func handBack(_ ready: Ready) {
        pthread_mutex_lock(lock)
        let wakes = answers.isEmpty
        answers += ready.answers
        pthread_mutex_unlock(lock)
        ready.answers.removeAll(keepingCapacity: true)
        if wakes { pthread_cond_signal(hasAnswers) }
    }

    private func wait(for batch: inout [Answer]) {
        batch.removeAll(keepingCapacity: true)
        pthread_mutex_lock(lock)
        while answers.isEmpty { pthread_cond_wait(hasAnswers, lock) }
        swap(&answers, &batch)
        pthread_mutex_unlock(lock)
    }
}
