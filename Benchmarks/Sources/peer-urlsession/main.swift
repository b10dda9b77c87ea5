import Dispatch
import Foundation
import FoundationNetworking
import Peer

// FoundationNetworking as a contender.
let options = PeerOptions.ofThisProcess()
guard let url = URL(string: options.url) else { fatalError("\(options.url) is no URL") }

// It trusts whom the system trusts, so `--cacert` is the caller's to see to. HTTP/2 is its own choice over TLS.
let configuration = URLSessionConfiguration.ephemeral
configuration.httpMaximumConnectionsPerHost = max(options.concurrency, 8)
configuration.urlCache = nil

/// Gives the body on piece by piece, and knows of its task how long it has been.
// Unchecked: the session's queue, which is serial, calls it and nobody else.
final class Receiver: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    private struct Answer {
        var bytes = 0
        let start = Clock.nanoseconds
    }

    private let options: PeerOptions
    private let url: URL
    private var responses: [Int: Answer] = [:]
    private var tally: Tally
    private var unsent: Int
    let end = DispatchSemaphore(value: 0)

    init(_ options: PeerOptions, _ url: URL) {
        self.options = options
        self.url = url
        unsent = options.requests
        tally = Tally(of: "URLSession", options)
    }

    func send(on session: URLSession) {
        unsent -= 1
        var request = URLRequest(url: url)
        if options.fresh { request.setValue("close", forHTTPHeaderField: "Connection") }
        let task = session.dataTask(with: request)
        responses[task.taskIdentifier] = Answer()
        task.resume()
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        responses[dataTask.taskIdentifier]?.bytes += data.count
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let response = responses.removeValue(forKey: task.taskIdentifier) else { return }
        let isRight = error == nil && (task.response as? HTTPURLResponse)?.statusCode == 200
        tally.add(bytes: isRight ? response.bytes : nil, since: response.start)
        if unsent > 0 {
            send(on: session)
        } else if tally.count == options.requests {
            print(tally.line())
            end.signal()
        }
    }
}

let receiver = Receiver(options, url)
let queue = OperationQueue()
queue.maxConcurrentOperationCount = 1
let session = URLSession(configuration: configuration, delegate: receiver, delegateQueue: queue)
queue.addOperation {
    for _ in 0..<options.concurrency { receiver.send(on: session) }
}
receiver.end.wait()
