import FreshetAuth
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

@testable import FreshetLayers

final class CircuitBreakingTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    private final class Bench {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let server: StubTransport
        let layered: any Transport
        let client: HTTPClient

        init() {
            server = StubTransport(scheduler: scheduler)
            server.route { _ in ScriptedResponse() }
            var settings = CircuitBreaker.Settings()
            settings.minimumCalls = 4
            layered = CircuitBreaking(settings, scheduler: scheduler).wrapping(server)
            client = HTTPClient(transport: layered, scheduler: scheduler)
        }

        /// Lets the circuit of `http://a.example` open and waits for the end of the pause.
        func halfOpenCircuit() {
            for _ in 0..<4 {
                server.enqueue(ScriptedResponse(status: .serviceUnavailable))
                XCTAssertEqual(get(), "503")
            }
            XCTAssertEqual(get(), "circuit_open")
            scheduler.advanceBy(5000)
        }

        func get(_ origin: String = "http://a.example", from other: HTTPClient? = nil) -> String {
            switch result(origin, from: other ?? client) {
            case .success(let response): "\(response.status.code)"
            case .failure(let error): (error as? HTTPClientError)?.code.rawValue ?? "\(error)"
            case nil: "nothing"
            }
        }

        func message() -> String? {
            guard case .failure(let error as HTTPClientError) = result("http://a.example", from: client) else {
                return nil
            }
            return error.message
        }

        private func result(_ origin: String, from client: HTTPClient) -> Result<Response, any Error>? {
            let result = Locked<Result<Response, any Error>?>(nil)
            let subscription = client.get("\(origin)/").subscribe { event in result.withLock { $0 = event } }
            scheduler.advanceBy(10)
            subscription.dispose()
            return result.withLock { $0 }
        }
    }

    private struct NoLogin: RequestInterceptor {
        func adapt(_ request: inout Request) -> Adaptation {
            .failed(HTTPClientError(.loginRequired, phase: .queued, message: "log in", isUnsent: true))
        }
    }

    func testAFailingServerReceivesNoRequestsDuringThePause() {
        let bench = Bench()
        bench.server.enqueue(
            ScriptedResponse(status: .serviceUnavailable), .failure(.connectionLost, in: .waiting),
            ScriptedResponse(status: .tooManyRequests), ScriptedResponse(status: .internalServerError))
        XCTAssertEqual(
            (0..<6).map { _ in bench.get() }, ["503", "connection_lost", "429", "500", "circuit_open", "circuit_open"])
        XCTAssertEqual(bench.server.requestCount, 4)
        XCTAssertEqual(bench.get("http://b.example"), "200", "each origin has its own")
        bench.scheduler.advanceBy(5000)
        XCTAssertEqual(bench.get(), "200")
        XCTAssertEqual(bench.get(), "200")
    }

    func testATestCanFixTheLengthOfThePauses() {
        let bench = Bench()
        var settings = CircuitBreaker.Settings()
        settings.consecutiveFailures = 1
        settings.pause = .seconds(10)
        let layer = CircuitBreaking(settings, scheduler: bench.scheduler, random: { 0.5 })
        let client = HTTPClient(transport: layer.wrapping(bench.server), scheduler: bench.scheduler)
        bench.server.enqueue(.failure(.connectionLost, in: .waiting))
        XCTAssertEqual(bench.get(from: client), "connection_lost")
        bench.scheduler.advanceTo(7490)
        XCTAssertEqual(bench.get(from: client), "circuit_open")
        XCTAssertEqual(bench.scheduler.clock, 7500)
        XCTAssertEqual(bench.get(from: client), "200")
    }

    func testClientErrorsAndCancellationsAreNotCountedAsFailures() {
        let bench = Bench()
        for _ in 0..<10 { bench.server.enqueue(ScriptedResponse(status: .notFound), .silence) }
        for number in 0..<20 { XCTAssertEqual(bench.get(), number.isMultiple(of: 2) ? "404" : "nothing") }
        XCTAssertEqual(bench.get(), "200")
    }

    /// Only the timeout of the requests ended them, so a server that never responded kept its circuit closed.
    func testARequestThatIsCancelledAfterTheTimeOfASlowCallIsSlow() {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let server = StubTransport(scheduler: scheduler)
        server.route { _ in .silence }
        var settings = CircuitBreaker.Settings()
        (settings.minimumCalls, settings.slowCall) = (4, .seconds(2))
        var configuration = HTTPClient.Configuration()
        configuration.timeout = .seconds(3)
        let client = HTTPClient(
            transport: server, scheduler: scheduler, layers: [CircuitBreaking(settings, scheduler: scheduler)],
            configuration: configuration)
        let codes = Locked<[HTTPClientError.Code]>([])
        for _ in 0..<5 {
            _ = client.get("http://a.example/").subscribe(onFailure: { error in
                codes.withLock { $0 += [(error as? HTTPClientError)?.code].compactMap(\.self) }
            })
            scheduler.advanceBy(3000)
        }
        XCTAssertEqual(codes.withLock { $0 }, [.timeout, .timeout, .timeout, .timeout, .circuitOpen])
    }

    /// It had waited in a layer below, because of a response that the server had sent to another request.
    func testARequestThatIsCancelledBeforeItIsSentIsNoSlowCall() throws {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let server = StubTransport(scheduler: scheduler)
        server.enqueue(ScriptedResponse(status: .tooManyRequests, headers: [.retryAfter: "30"]))
        var settings = CircuitBreaker.Settings()
        (settings.minimumCalls, settings.slowCall, settings.slowCallRate) = (4, .seconds(2), 0.5)
        let client = HTTPClient(
            transport: server, scheduler: scheduler,
            layers: [CircuitBreaking(settings, scheduler: scheduler), RateLimit(.learned, scheduler: scheduler)],
            interceptors: [try FixedCredential.bearer("token", origins: [Origin("https://a.example")])])
        let failures = Locked<[String]>([])
        for _ in 0..<6 {
            let subscription = client.get("https://a.example/").subscribe(onFailure: { error in
                failures.withLock { $0.append("\(error)") }
            })
            scheduler.advanceBy(2000)
            subscription.dispose()
        }
        XCTAssertEqual(failures.withLock { $0 }, [])
        XCTAssertEqual(server.requestCount, 1)
    }

    func testRetryAfterKeepsTheCircuitOpen() {
        let bench = Bench()
        bench.server.enqueue(ScriptedResponse(status: .serviceUnavailable, headers: [.retryAfter: "100"]))
        XCTAssertEqual(bench.get(), "503")
        bench.scheduler.advanceBy(99_000)
        XCTAssertEqual(bench.get(), "circuit_open")
        bench.scheduler.advanceBy(1000)
        XCTAssertEqual(bench.get(), "200")
    }

    func testARetryAfterThatIsOverLeavesTheCircuitClosed() {
        for text in ["0", "Sun, 06 Nov 1994 08:49:37 GMT"] {
            let bench = Bench()
            bench.server.enqueue(
                ScriptedResponse(status: .serviceUnavailable, headers: [.retryAfter: text]), .silence)
            XCTAssertEqual(bench.get(), "503")
            let other = bench.client.get("http://a.example/").subscribe()
            XCTAssertEqual(bench.get(), "200", "it is no probe")
            other.dispose()
        }
    }

    func testNoRetryAfterKeepsTheCircuitOpenForLongerThanTheLimit() {
        let bench = Bench()
        bench.server.enqueue(
            ScriptedResponse(status: .serviceUnavailable, headers: [.retryAfter: "Fri, 31 Dec 9999 23:59:59 GMT"]))
        XCTAssertEqual(bench.get(), "503")
        bench.scheduler.advanceBy(3_599_000)
        XCTAssertEqual(bench.get(), "circuit_open")
        bench.scheduler.advanceBy(1000)
        XCTAssertEqual(bench.get(), "200")
    }

    func testRetryAfterOfA429OnlyLengthensThePauseOfAnOpenCircuit() {
        let bench = Bench()
        let limited = ScriptedResponse(status: .tooManyRequests, headers: [.retryAfter: "100"])
        bench.server.enqueue(limited)
        XCTAssertEqual([bench.get(), bench.get()], ["429", "200"])
        bench.server.enqueue(limited, limited)
        XCTAssertEqual([bench.get(), bench.get(), bench.get()], ["429", "429", "circuit_open"])
        bench.scheduler.advanceBy(99_000)
        XCTAssertEqual(bench.get(), "circuit_open")
        bench.scheduler.advanceBy(1000)
        XCTAssertEqual(bench.get(), "200")
    }

    func testAProbeEndsWithItsResponseOrIfItIsLongLivedWithItsHead() throws {
        for isLongLived in [true, false] {
            let bench = Bench()
            bench.halfOpenCircuit()
            bench.server.enqueue(ScriptedResponse(body: "data").pausing(after: 1, until: Barrier()))
            var request = try Request(.get, "http://a.example/")
            request.transfer = TransferOptions()
            request.transfer?.isLongLived = isLongLived
            let probe = bench.client.send(request).subscribe()
            bench.scheduler.advanceBy(10)
            XCTAssertEqual(bench.get(), isLongLived ? "200" : "circuit_open")
            probe.dispose()
            XCTAssertEqual(bench.get(), "200")
        }
    }

    func testARequestBesideTheProbeFailsWithoutATime() {
        let bench = Bench()
        bench.halfOpenCircuit()
        bench.server.enqueue(.silence)
        let probe = bench.client.get("http://a.example/").subscribe()
        bench.scheduler.advanceBy(10)
        XCTAssertEqual(
            bench.message(),
            "the server has failed (the server responded with 503), and another request is testing whether it has recovered"
        )
        probe.dispose()
        XCTAssertEqual(bench.get(), "200", "a cancelled probe gives its permit back")
    }

    func testTheErrorOfAnOpenCircuitHasTheFailureAndTheAttempt() throws {
        let bench = Bench()
        for _ in 0..<9 { bench.server.enqueue(.failure(.connect, in: .connecting)) }
        let client = bench.client.with(interceptors: [RetryPolicy(limit: 9, random: { 0 })])
        let result = Locked<Result<Response, any Error>?>(nil)
        let subscription = client.get("http://a.example/").subscribe { event in result.withLock { $0 = event } }
        bench.scheduler.advanceBy(1000)
        subscription.dispose()
        XCTAssertThrowsError(try result.withLock { $0 }?.get()) { error in
            let error = error as? HTTPClientError
            XCTAssertEqual(error?.code, .circuitOpen)
            XCTAssertEqual(error?.message.hasPrefix("the server has failed (connect), and gets no request for"), true)
            XCTAssertEqual((error?.underlying as? HTTPClientError)?.code, .connect)
            XCTAssertEqual(error?.attempt, 5, "four attempts were sent")
        }
    }

    func testARequestThatFailsBeforeItIsSentIsNoProbeAndKeepsItsError() {
        let bench = Bench()
        bench.halfOpenCircuit()
        let withoutLogin = bench.client.with(interceptors: [NoLogin()])
        for _ in 0..<3 { XCTAssertEqual(bench.get(from: withoutLogin), "login_required") }
        bench.server.enqueue(.silence)
        let probe = bench.client.get("http://a.example/").subscribe()
        bench.scheduler.advanceBy(10)
        XCTAssertEqual(bench.get(from: withoutLogin), "login_required", "also beside a probe")
        probe.dispose()
        XCTAssertEqual(bench.get(), "200")
    }

    func testARequestThatIsCancelledWhileItIsPreparedGivesItsPermitBack() throws {
        let bench = Bench()
        bench.halfOpenCircuit()
        let receiver = CancellingReceiver()
        let transfer = bench.layered.transfer(try Request(.get, "http://a.example/"), to: receiver)
        receiver.transfer.withLock { $0 = transfer }
        transfer.start()
        bench.scheduler.advanceBy(10)
        XCTAssertEqual(bench.get(), "200")
    }

    func testAWaitForAConnectionOfTheClientIsNoFailureOfTheServer() {
        let bench = Bench()
        for _ in 0..<10 {
            bench.server.enqueue(.failure(HTTPClientError(.timeout, phase: .queued, message: "", isUnsent: true)))
            XCTAssertEqual(bench.get(), "timeout")
        }
        XCTAssertEqual(bench.get(), "200")
    }

    private final class CancellingReceiver: TransferReceiver {
        let transfer = Locked<(any Transfer)?>(nil)

        func prepare(_ request: inout Request) -> Adaptation {
            transfer.withLock { $0.take() }?.dispose()
            return .ready
        }

        func willSend(_ request: Request) {}
        func receive(_ part: consuming ResponsePart) {}
        func receiveEnd(_ failure: (any Error)?) {}
    }
}
