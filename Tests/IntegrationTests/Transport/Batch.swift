import Foundation
import FreshetCore
import FreshetCurl
import FreshetHTTP
import FreshetLoop

/// Sends many requests from the loop, with a fixed number of them at a time.
// Unchecked, because it is used only on the loop, and after the end of the run.
final class Batch: @unchecked Sendable {
    private let transport: CurlTransport
    private let count: Int
    private let makeRequest: (Int) throws -> Request
    private let check: (Int, Outcome) -> String?
    private let done = DispatchSemaphore(value: 0)
    private var next = 0
    private var ended = 0
    private var failures: [String] = []

    private init(
        _ transport: CurlTransport, count: Int, request: @escaping (Int) throws -> Request,
        check: @escaping (Int, Outcome) -> String?
    ) {
        self.transport = transport
        self.count = count
        self.makeRequest = request
        self.check = check
    }

    /// Sends `count` requests, `concurrency` at a time, and waits 120 s at most.
    ///
    /// - Parameter check: returns what is wrong with an outcome; `nil` if nothing is.
    /// - Returns: everything that `check` has returned.
    static func run(
        on loop: Loop, _ transport: CurlTransport, count: Int, concurrency: Int,
        request: @escaping @Sendable (Int) throws -> Request, check: @escaping @Sendable (Int, Outcome) -> String?
    ) -> [String] {
        let batch = Batch(transport, count: count, request: request, check: check)
        loop.execute { for _ in 0..<concurrency { batch.sendNext() } }
        guard batch.done.wait(timeout: .now() + 120) == .success else { return ["no end in 120 s"] }
        return batch.failures
    }

    private func sendNext() {
        guard next < count else { return }
        let number = next
        next += 1
        guard let request = try? makeRequest(number) else { return record("\(number): no request") }
        let outcome = Locked(Outcome())
        _ = transport.parts(request).subscribe { [self] event in
            outcome.withLock { $0.record(event) }
            if event.isStopEvent { record(check(number, outcome.withLock { $0 })) }
        }
    }

    private func record(_ failure: String?) {
        if let failure { failures.append(failure) }
        ended += 1
        if ended == count { done.signal() } else { sendNext() }
    }
}
