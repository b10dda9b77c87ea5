import Dispatch
import Freshet
import Peer

/// Asks on the loop, where the answers come.
// Unchecked: the loop's, until the end is signalled.
final class FromLoop: @unchecked Sendable {
    private let client: Client
    private let options: PeerOptions
    private var tally: Tally
    private var unsent: Int
    private let end = DispatchSemaphore(value: 0)

    init(_ client: Client, _ options: PeerOptions) {
        self.client = client
        self.options = options
        unsent = options.requests
        tally = Tally(of: "freshet", options)
    }

    func run() -> Tally {
        client.runtime.loop.execute { [self] in
            // A response from memory can come at once, and then the next request is sent before this loop goes on.
            for _ in 0..<options.concurrency where unsent > 0 {
                if options.keepsBody { sendForBody() } else { Asker(self).send() }
            }
        }
        end.wait()
        return tally
    }

    private func sendForBody() {
        let start = begun()
        client.sendForBody { [self] bytes in
            if ended(bytes, since: start) { sendForBody() }
        }
    }

    /// A request begins; the answer is when.
    fileprivate func begun() -> UInt64 {
        unsent -= 1
        return Clock.nanoseconds
    }

    /// - Returns: whether another is to be sent.
    fileprivate func ended(_ bytes: Int?, since start: UInt64) -> Bool {
        tally.add(bytes: bytes, since: start)
        if unsent == 0, tally.count == options.requests { end.signal() }
        return unsent > 0
    }

    fileprivate func send(to asker: Asker) {
        client.send(to: asker)
    }
}

/// Sends one request after the other and counts what comes: as the C program does, with what is kept from one to the next.
// Unchecked: the loop's.
private final class Asker: ObserverType, @unchecked Sendable {
    private let tally: FromLoop
    private var bytes = 0
    private var start: UInt64 = 0

    init(_ tally: FromLoop) {
        self.tally = tally
    }

    func send() {
        bytes = 0
        start = tally.begun()
        tally.send(to: self)
    }

    func on(_ event: Event<RequestEvent>) {
        if let isRight = event.isRightEnd(counting: &bytes) { end(isRight ? bytes : nil) }
    }

    private func end(_ bytes: Int?) {
        if tally.ended(bytes, since: start) { send() }
    }
}
