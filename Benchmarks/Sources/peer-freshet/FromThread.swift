import Freshet
import Glibc
import Peer

/// Asks on the main thread, which each loop hands the answers of a turn at its end. Who asks is kept from one request to the
/// next, as by the C program.
// Unchecked: `responses` is guarded by the lock, the rest is the main thread's.
final class FromThread: @unchecked Sendable {
    fileprivate struct Answer {
        var bytes: Int?
        /// Who had asked, by number.
        var asker: Int
    }

    /// What a loop's turn has brought.
    // Unchecked: that loop's.
    private final class Ready: @unchecked Sendable {
        let loop: Loop
        @exclusivity(unchecked) var responses: [Answer] = []

        init(on loop: Loop) {
            self.loop = loop
        }
    }

    fileprivate let client: Client
    private let options: PeerOptions
    private let ready: [Ready]
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let hasResponses = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var responses: [Answer] = []

    init(_ client: Client, _ options: PeerOptions) {
        self.client = client
        self.options = options
        ready = client.runtime.loops.map { Ready(on: $0) }
        pthread_mutex_init(lock, nil)
        pthread_cond_init(hasResponses, nil)
    }

    deinit {
        pthread_mutex_destroy(lock)
        pthread_cond_destroy(hasResponses)
        lock.deallocate()
        hasResponses.deallocate()
    }

    func run() -> Tally {
        var tally = Tally(of: "freshet from another thread", options)
        var unsent = options.requests - options.concurrency
        let askers = (0..<options.concurrency).map { Asker($0, of: self, keepsBody: options.keepsBody) }
        for asker in askers { asker.send() }
        var batch: [Answer] = []
        while tally.count < options.requests {
            wait(for: &batch)
            for response in batch {
                let asker = askers[response.asker]
                tally.add(bytes: response.bytes, since: asker.start)
                guard unsent > 0 else { continue }
                unsent -= 1
                asker.send()
            }
        }
        return tally
    }

    fileprivate func ended(_ response: Answer) {
        guard let ready = ready.first(where: { $0.loop.isCurrent }) else { return }
        if ready.responses.isEmpty { ready.loop.afterTurn { [self] in handBack(ready) } }
        ready.responses.append(response)
    }

    private func handBack(_ ready: Ready) {
        pthread_mutex_lock(lock)
        let wakes = responses.isEmpty
        responses += ready.responses
        pthread_mutex_unlock(lock)
        ready.responses.removeAll(keepingCapacity: true)
        if wakes { pthread_cond_signal(hasResponses) }
    }

    private func wait(for batch: inout [Answer]) {
        batch.removeAll(keepingCapacity: true)
        pthread_mutex_lock(lock)
        while responses.isEmpty { pthread_cond_wait(hasResponses, lock) }
        swap(&responses, &batch)
        pthread_mutex_unlock(lock)
    }
}

/// Sends one request after the other.
// Unchecked: the asking thread's until it has sent, and then the loop's until that has handed the answer back.
private final class Asker: ObserverType, @unchecked Sendable {
    private let number: Int
    private let program: FromThread
    private let keepsBody: Bool
    @exclusivity(unchecked) private var bytes = 0
    @exclusivity(unchecked) private(set) var start: UInt64 = 0

    init(_ number: Int, of program: FromThread, keepsBody: Bool) {
        self.number = number
        self.program = program
        self.keepsBody = keepsBody
    }

    func send() {
        bytes = 0
        start = Clock.nanoseconds
        if keepsBody { program.client.sendForBody { [self] in end($0) } } else { program.client.send(to: self) }
    }

    func on(_ event: Event<RequestEvent>) {
        if let isRight = event.isRightEnd(counting: &bytes) { end(isRight ? bytes : nil) }
    }

    private func end(_ bytes: Int?) { program.ended(FromThread.Answer(bytes: bytes, asker: number)) }
}
