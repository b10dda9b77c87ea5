import FreshetCore
import FreshetEvents
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests streams whose client would send the request again after the time in which the response has to begin.
final class LongRetryTests: EventSourceTestCase {
    override func setUp() {
        super.setUp()
        bench.interceptors = [RetryPolicy(limit: 2)]
    }

    private func refuse(after seconds: Int, status: HTTPResponse.Status = .tooManyRequests) {
        bench.transport.route { _ in
            ScriptedResponse(status: status, headers: [.retryAfter: "\(seconds)"], body: "slow down")
        }
    }

    private func question(timeout: Duration? = nil) throws -> Request {
        var request = try Request(.post, "http://a/chat", body: .text("question"))
        request.timeout = timeout
        return request
    }

    func testARetryAfterBeyondTheTimeoutFailsAResponseAtOnceWithItsStatus() throws {
        bench.settings = .response(terminator: "[DONE]")
        refuse(after: 120)
        let failure = Locked<HTTPClientError?>(nil)
        let subscription = try bench.source(question()).subscribe(
            onError: { error in failure.withLock { $0 = error as? HTTPClientError } })
        let error = try XCTUnwrap(failure.withLock { $0 }, "the stream waits")
        XCTAssertEqual(error.code, .status)
        XCTAssertEqual(error.response?.status, .tooManyRequests)
        XCTAssertEqual(error.response?.text, "slow down")
        XCTAssertEqual(error.attempt, 1)
        subscription.dispose()
        bench.scheduler.start()
        XCTAssertEqual(bench.transport.requestCount, 1)
    }

    func testAStreamThatAcceptsTheStatusWaitsForTheWholeRetryAfter() throws {
        bench.settings.isTransient = { ($0 as? HTTPClientError)?.code == .status }
        refuse(after: 600, status: .serviceUnavailable)
        XCTAssertEqual(
            try bench.run(until: 700_000),
            [
                "0 connecting", "0 reconnecting in 600000: status", "600000 connecting",
                "600000 reconnecting in 600000: status",
            ])
    }

    func testARetryAfterWithinTheTimeoutIsWaitedFor() throws {
        bench.settings = .response()
        bench.transport.enqueue(
            ScriptedResponse(status: .tooManyRequests, headers: [.retryAfter: "50"]),
            ScriptedResponse(status: .tooManyRequests, headers: [.retryAfter: "20"]))
        XCTAssertEqual(
            try bench.run(question()), ["0 connecting", "50000 closed", "50000 error status"])
    }

    func testAFailureThatWouldBeRetriedAfterTheTimeoutEndsTheConnection() throws {
        var policy = RetryPolicy(limit: 2, random: { 0.9 })
        (policy.baseDelay, policy.maximumDelay) = (.seconds(30), .seconds(30))
        bench.interceptors = [policy]
        bench.transport.route { _ in .failure(.connect, in: .connecting, isUnsent: true) }
        bench.settings.reconnection = .never
        XCTAssertEqual(
            try bench.run(question(timeout: .seconds(20))), ["0 connecting", "0 closed", "0 error connect"])
    }

    /// The stream reported the timeout after a minute.
    func testALateRetryOfAResponseWithoutAProblemEndsTheStreamAtOnce() throws {
        struct Insistent: RequestInterceptor {
            func peek(at head: HTTPResponse, of request: Request) -> Peek { .body(limit: 100) }
            func retry(_ attempt: Attempt) -> Single<RetryResult> { .just(.retryWithDelay(.seconds(600))) }
        }
        let outcomes = [
            (ScriptedResponse(status: .noContent), "0 completed"),
            (ScriptedResponse(headers: [.contentType: "text/html"], body: "<p>"), "0 error status"),
        ]
        for (response, end) in outcomes {
            let bench = EventSourceBench()
            bench.interceptors = [Insistent()]
            bench.transport.enqueue(response)
            XCTAssertEqual(try bench.run(), ["0 connecting", "0 closed", end])
        }
    }

    /// The timeout itself does not count a pause of the reader.
    func testAPauseLeavesTimeForARetry() throws {
        bench.settings = .response()
        bench.transport.enqueue(
            ScriptedResponse(status: .tooManyRequests, headers: [.retryAfter: "10"]).after(.seconds(16)),
            .events("data: a\n\n"))
        let subscription = bench.follow(try bench.source(question(timeout: .seconds(20))))
        bench.scheduler.advanceTo(1000)
        (subscription as? any Pausable)?.pause()
        bench.scheduler.advanceTo(15_000)
        (subscription as? any Pausable)?.resume()
        bench.scheduler.advanceTo(60_000)
        subscription.dispose()
        bench.scheduler.start()
        XCTAssertEqual(bench.events.map(\.data), ["a"], "\(bench.log)")
    }
}
