import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

/// Tests the attempt that the client makes because the transport can't send a request again as it is.
final class NewAttemptTests: XCTestCase {
    private var resources = 0
    private let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    /// Numbers its requests, as a proof for one sending does, and records about which attempts it is asked.
    private struct Proof: RequestInterceptor {
        static let name = HTTPField.Name("X-Proof")!
        let count = Locked(0)
        let asked = Locked<[Int]>([])
        var retries = 0

        func adapt(_ request: inout Request) -> Adaptation {
            request.headers[Self.name] = count.withLock { count in
                count += 1
                return "\(count)"
            }
            return .ready
        }

        func retry(_ attempt: Attempt) -> Single<RetryResult> {
            asked.withLock { $0.append(attempt.number) }
            return .just(attempt.number < retries ? .retry : .doNotRetry)
        }
    }

    private struct Outcome: Equatable {
        var proofs: [String?]
        var asked: [Int]
        var text: String?
        /// Other kept connections may have ended too.
        var asksForANewConnection: [Bool]
    }

    /// Records which requests ask for a new connection.
    private struct Network: Transport {
        let next: StubTransport
        let asksForANewConnection = Locked<[Bool]>([])

        func transfer(_ request: Request, to receiver: any TransferReceiver) -> any Transfer {
            asksForANewConnection.withLock { $0.append(request.transfer?.freshConnection == true) }
            return next.transfer(request, to: receiver)
        }
    }

    private func send(
        failing failures: Int, isLostOnKept: Bool = true, isOneShot: Bool = false, retries: Int = 0
    ) throws -> Outcome {
        let api = StubTransport(scheduler: scheduler)
        var error = HTTPClientError(.connectionLost, phase: .waiting, message: "lost")
        error.needsNewAttempt = isLostOnKept
        for _ in 0..<failures { api.enqueue(.failure(error)) }
        api.enqueue(ScriptedResponse(body: "ok"))
        let network = Network(next: api)
        let proof = Proof(retries: retries)
        let client = HTTPClient(transport: network, scheduler: scheduler, interceptors: [proof])
        var request = try Request(.get, "https://h/x")
        request.isOneShot = isOneShot
        let text = Locked<String?>(nil)
        let subscription = client.send(request).subscribe { ending in
            text.withLock { $0 = try? ending.get().text }
        }
        scheduler.start()
        subscription.dispose()
        return Outcome(
            proofs: api.requests.map { $0.headers[Proof.name] }, asked: proof.asked.withLock { $0 },
            text: text.withLock { $0 }, asksForANewConnection: network.asksForANewConnection.withLock { $0 })
    }

    func testARequestThatIsLostOnAKeptConnectionIsAdaptedAndSentOnceMoreWithoutARetry() throws {
        XCTAssertEqual(
            try send(failing: 1),
            Outcome(proofs: ["1", "2"], asked: [], text: "ok", asksForANewConnection: [false, true]))
        XCTAssertEqual(
            try send(failing: 2),
            Outcome(proofs: ["1", "2"], asked: [1], text: nil, asksForANewConnection: [false, true]))
    }

    func testAnyOtherLossAndAOneShotRequestAreNotSentAgain() throws {
        XCTAssertEqual(
            try send(failing: 1, isLostOnKept: false),
            Outcome(proofs: ["1"], asked: [1], text: nil, asksForANewConnection: [false]))
        XCTAssertEqual(
            try send(failing: 1, isOneShot: true),
            Outcome(proofs: ["1"], asked: [1], text: nil, asksForANewConnection: [false]))
    }

    func testARetryAfterTheNewAttemptMayUseAKeptConnection() throws {
        XCTAssertEqual(
            try send(failing: 2, retries: 2),
            Outcome(proofs: ["1", "2", "3"], asked: [1], text: "ok", asksForANewConnection: [false, true, false]))
    }
}
