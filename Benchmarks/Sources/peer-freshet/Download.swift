import Dispatch
import Freshet
import Peer

/// Downloads to a file, as programs do.
// Unchecked: one thread at a time, until the end is signalled.
final class Download: @unchecked Sendable {
    private let client: Client
    private let path: String
    private var tally: Tally
    private let end = DispatchSemaphore(value: 0)

    init(_ client: Client, _ options: PeerOptions, to path: String) {
        self.client = client
        self.path = path
        tally = Tally(of: "freshet", options)
    }

    func run() -> Tally {
        let start = Clock.nanoseconds
        let files = BlockingScheduler(on: client.runtime.loop)
        var options = DownloadOptions()
        // The `curl` command does not wait for the disk.
        options.isDurable = false
        let subscription = client.http.download(client.request, to: path, options: options, on: files)
            .subscribe { [self] event in
                switch event {
                case .next(.finished(let file)): finish(file.size, since: start)
                case .next, .completed: break
                case .error: finish(nil, since: start)
                }
            }
        defer { subscription.dispose() }
        end.wait()
        return tally
    }

    private func finish(_ bytes: Int?, since start: UInt64) {
        tally.add(bytes: bytes, since: start)
        end.signal()
    }
}
