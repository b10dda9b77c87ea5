import Foundation
import FreshetCore
import FreshetHTTP
import FreshetLoop
import FreshetTesting
import HTTPTypes

@testable import FreshetCurl

/// Sends requests with a fixed number of them at a time, and cancels some of them at any moment.
// Unchecked, because it is used only on its loop, except by `finish` and what that waits for.
final class SoakClient: @unchecked Sendable {
    private let loop: Loop
    private let client: HTTPClient
    private let url: String
    private let ledger: SoakLedger
    private let seed: UInt64
    private var random: SplitMix64
    private var running: [Int: any Disposable] = [:]
    private var isFinishing = false
    private let done = DispatchSemaphore(value: 0)
    private let leaving = DispatchQueue(label: "leaving")

    init(on loop: Loop, _ transport: CurlTransport, url: String, ledger: SoakLedger, seed: UInt64, number: Int) {
        self.loop = loop
        self.url = url
        self.ledger = ledger
        self.seed = seed
        random = SplitMix64(seed: seed &+ UInt64(number))
        var configuration = HTTPClient.Configuration()
        // No machine is so slow that a response takes this long, unless the response never comes.
        configuration.transfer.idleTimeout = .seconds(30)
        configuration.transfer.maximumHeadSize = 4096
        client = HTTPClient(transport: transport, scheduler: LoopScheduler(loop), configuration: configuration)
    }

    func start(_ concurrency: Int) {
        loop.execute { [self] in
            for _ in 0..<concurrency { sendNext() }
        }
    }

    /// Sends no more requests, and waits for those that run.
    ///
    /// - Returns: whether all of them have ended.
    func finish() -> Bool {
        loop.execute { [self] in
            isFinishing = true
            if running.isEmpty { done.signal() }
        }
        defer { leaving.sync {} }
        return done.wait(timeout: .now() + 60) == .success
    }

    private func sendNext() {
        guard !isFinishing, let number = ledger.begin() else { return }
        guard let request = try? makeRequest(number) else { return ledger.recordFailure("\(number) is no request") }
        let expected = "answer \(number)"
        let wasReused = Locked<Bool?>(nil)
        let text = Locked("")
        let handle = SingleAssignmentDisposable()
        running[number] = handle
        handle.setDisposable(
            client.events(request).subscribe { [self] event in
                switch event {
                case .next(.phase(.connected(_, let reused))): wasReused.withLock { $0 = $0 == true || reused }
                case .next(.body(let bytes)): text.withLock { $0 += String(decoding: bytes, as: UTF8.self) }
                case .next: break
                case .error(let error): ended(number, request, error, wasReused: wasReused.withLock { $0 })
                case .completed:
                    let text = text.withLock { $0 }
                    if text != expected { ledger.recordFailure("\(number) was given \(text.prefix(40))") }
                    ended(number, request, nil, wasReused: nil)
                }
            })
        if random.once(in: 300) {
            leaveSome()
        } else if random.once(in: 40) {
            cancel(number, after: random.once(in: 2) ? 0 : 1)
        }
    }

    private func makeRequest(_ number: Int) throws -> Request {
        let isPost = number % 3 == 0
        var request = try Request(
            isPost ? .post : .get, "\(url)/\(number)",
            body: isPost ? .bytes(Array(repeating: 120, count: number % 2000)) : .empty)
        let isLongLived = random.once(in: 50)
        let isSilent = SoakFault.of(number, seed: seed) == .silence
        if isLongLived || isSilent {
            var options = client.configuration.transfer
            options.isLongLived = isLongLived
            if isSilent { options.idleTimeout = .milliseconds(100) }
            request.transfer = options
        }
        return request
    }

    private func ended(_ number: Int, _ request: Request, _ error: (any Error)?, wasReused: Bool?) {
        let fault = SoakFault.of(number, seed: seed)
        let failure = error as? HTTPClientError
        ledger.ended(number, failure: failure?.code.rawValue, isFaulted: fault != nil)
        if error != nil, failure == nil { ledger.recordFailure("\(number) failed with \(String(describing: error))") }
        let expected = fault?.codes ?? [nil]
        if !expected.contains(failure?.code) {
            // A request that must not be sent twice is lost with its kept connection.
            // If libcurl itself sends the others again, it may use another connection that ends as well.
            let mayBeLost = !request.method.isIdempotent || Quirks.areOff
            let isLostByRight = failure?.code == .connectionLost && wasReused == true && mayBeLost
            if !isLostByRight {
                ledger.recordFailure(
                    "\(number) \(request.method) was hit by \(fault.map { "\($0)" } ?? "nothing") and ended with "
                        + "\(failure.map { "\($0), \($0.underlying.map { "\($0)" } ?? "")" } ?? "an response"), "
                        + "reused: \(wasReused.map { "\($0)" } ?? "?"), arrivals: \(ledger.arrivals(of: number))")
            }
        }
        startNext(without: number)
    }

    private func startNext(without number: Int) {
        running[number] = nil
        // A call within the end of another request would make the stack grow.
        loop.execute { [self] in sendNext() }
        if isFinishing, running.isEmpty { done.signal() }
    }

    // MARK: Leaving

    /// Cancels about half of the running requests from another thread.
    private func leaveSome() {
        for number in running.keys.sorted() where random.once(in: 2) {
            guard let subscription = running[number] else { continue }
            leaving.async { [self] in
                subscription.dispose()
                loop.execute { [self] in didCancel(number) }
            }
        }
    }

    private func cancel(_ number: Int, after milliseconds: Int) {
        guard let subscription = running[number] else { return }
        guard milliseconds > 0 else {
            subscription.dispose()
            return didCancel(number)
        }
        _ = LoopScheduler(loop).scheduleRelative((), dueTime: .milliseconds(milliseconds)) { [weak self] in
            guard let self, running[number] != nil else { return Disposables.create() }
            subscription.dispose()
            didCancel(number)
            return Disposables.create()
        }
    }

    private func didCancel(_ number: Int) {
        guard running[number] != nil else { return }
        if ledger.cancelled(number) { startNext(without: number) }
    }
}
