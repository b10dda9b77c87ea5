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
            for _ in 0..<options.concurrency { send() }
        }
        end.wait()
        return tally
    }

    private func send() {
        unsent -= 1
        let start = Clock.nanoseconds
        client.send(keepsBody: options.keepsBody) { [self] bytes in
            tally.add(bytes: bytes, since: start)
            if unsent > 0 {
                send()
            } else if tally.count == options.requests {
                end.signal()
            }
        }
    }
}
