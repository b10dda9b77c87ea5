import Dispatch
import Freshet
import Glibc
import Peer

/// Writes the body into a file as its pieces come.
// Unchecked: the loop's, until the end is signalled.
final class Download: @unchecked Sendable {
    private struct NoFile: Error {
        var path: String
    }

    private let client: Client
    private let file: Int32
    private var received = 0
    private var tally: Tally
    private let end = DispatchSemaphore(value: 0)

    init(_ client: Client, _ options: PeerOptions, to path: String) throws {
        self.client = client
        file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
        guard file >= 0 else { throw NoFile(path: path) }
        tally = Tally(of: "freshet", options)
    }

    func run() -> Tally {
        let start = Clock.nanoseconds
        client.endless.events(client.request).validate(statusCodes: 200..<300).subscribe { [self] event in
            switch event {
            case .next(.body(let bytes)): save(bytes)
            case .next: break
            case .error: finish(nil, since: start)
            case .completed: finish(received, since: start)
            }
        }.disposed(by: bag)
        end.wait()
        return tally
    }

    private let bag = DisposeBag()

    private func save(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { bytes in
            var done = 0
            while done < bytes.count {
                let count = write(file, bytes.baseAddress! + done, bytes.count - done)
                if count < 0 { return }
                done += count
            }
            received += done
        }
    }

    private func finish(_ bytes: Int?, since start: UInt64) {
        close(file)
        tally.add(bytes: bytes, since: start)
        end.signal()
    }
}
