import Dispatch
import Freshet
import Peer

/// Silent event streams, opened so many at a time that no listener's queue overflows.
// Unchecked: the loop's, until the end is signalled.
final class Streams: @unchecked Sendable {
    private let client: Client
    private let request: Request
    private let count: Int
    private var begun = 0
    private var open = 0
    private var lost = 0
    private let allOpen = DispatchSemaphore(value: 0)
    private let bag = DisposeBag()
    let tally: StreamTally

    init(_ client: Client, _ request: Request, count: Int) {
        self.client = client
        self.request = request
        self.count = count
        tally = StreamTally(of: "freshet", count)
    }

    /// Returns when each has said its word.
    func openAll() {
        client.runtime.loop.execute { [self] in
            for _ in 0..<min(256, count) { begin() }
        }
        allOpen.wait()
        tally.areOpen(lost: lost)
    }

    private func begin() {
        begun += 1
        let stream = Stream()
        client.endless.events(request).subscribe { [self] event in
            switch event {
            case .next(.body) where !stream.hasSpoken:
                stream.hasSpoken = true
                open += 1
            case .next: return
            case .error, .completed: lost += 1
            }
            if begun < count { begin() }
            if open + lost == count { allOpen.signal() }
        }.disposed(by: bag)
    }
}

private final class Stream: @unchecked Sendable {
    var hasSpoken = false
}
