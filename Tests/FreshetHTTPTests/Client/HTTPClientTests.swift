import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

final class HTTPClientTests: StubbedTestCase {
    private func client(
        _ interceptors: [any RequestInterceptor] = [],
        _ configure: (inout HTTPClient.Configuration) -> Void = { _ in }
    ) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        configure(&configuration)
        return HTTPClient(
            transport: transport, scheduler: scheduler, interceptors: interceptors, configuration: configuration)
    }

    /// Runs the virtual clock until no work is left, and returns the result of `single`.
    private func result<Value>(_ single: Single<Value>) -> Result<Value, any Error>? {
        let box = Box<Result<Value, any Error>>()
        let subscription = single.subscribe { box.value = $0 }
        scheduler.start()
        subscription.dispose()
        return box.value
    }

    private func failure<Value>(_ single: Single<Value>) -> HTTPClientError? {
        guard case .failure(let error)? = result(single) else { return nil }
        return error as? HTTPClientError
    }

    func testAResponseIsCollectedWithItsBody() throws {
        transport.enqueue(ScriptedResponse(body: "hello"))
        let response = try result(client().get("http://a/x"))?.get()
        XCTAssertEqual(response?.text, "hello")
        XCTAssertEqual(response?.status, .ok)
        XCTAssertEqual(transport.requests.map(\.target), ["/x"])
    }

    func testAnInvalidURLIsRefusedBeforeAnythingIsSent() {
        XCTAssertEqual(failure(client().get("nonsense"))?.code, .invalidRequest)
        XCTAssertEqual(transport.requestCount, 0)
    }

    func testABodyOverTheLimitEndsTheTransfer() {
        transport.enqueue(.repeating(Array(repeating: 0, count: 10), times: 100))
        XCTAssertEqual(failure(client([]) { $0.maximumBodySize = 50 }.get("http://a/"))?.code, .tooLarge)
    }

    func testTheContentLengthOfAResponseToHEADIsNotABody() throws {
        transport.enqueue(ScriptedResponse(headers: [.contentLength: "100000000"]))
        let response = try result(client([]) { $0.maximumBodySize = 50 }.send(.head, "http://a/"))?.get()
        XCTAssertEqual(response?.headers[.contentLength], "100000000")
        XCTAssertEqual(response?.body, [])
    }

    func testAnUnacceptedStatusIsAnErrorWithTheResponse() {
        transport.enqueue(ScriptedResponse(status: .notFound, body: "gone"))
        let error = failure(client().get("http://a/").validate(statusCodes: 200..<300))
        XCTAssertEqual(error?.code, .status)
        XCTAssertEqual(error?.response?.text, "gone")
    }

    func testABodyIsDecodedAndAnUndecodableOneIsAnErrorWithTheResponse() throws {
        struct Item: Decodable, Equatable { var id: Int }
        transport.enqueue(.json(#"{"id": 7}"#), .json("<html>"))
        XCTAssertEqual(try result(client().get("http://a/").decode(Item.self))?.get(), Item(id: 7))
        let error = failure(client().get("http://a/").decode(Item.self))
        XCTAssertEqual(error?.code, .decoding)
        XCTAssertEqual(error?.response?.text, "<html>")
        transport.enqueue(ScriptedResponse(status: .noContent))
        XCTAssertEqual(try result(client().get("http://a/").decode(Item?.self))?.get(), .some(nil))
    }

    func testTheQueryOfAnEndpointIsEncoded() throws {
        struct Search: Endpoint {
            typealias Response = [Int]
            var path: String { "my search/ä%20" }
            var query: [(name: String, value: String)] { [("q", "a b&c=ä"), ("n", "1")] }
        }
        transport.enqueue(.json("[1, 2]"))
        XCTAssertEqual(try result(client().call(Search(), at: "http://a/v1/"))?.get(), [1, 2])
        XCTAssertEqual(transport.requests.first?.target, "/v1/my%20search/%C3%A4%20?q=a%20b%26c%3D%C3%A4&n=1")
    }

    func testRedirectsAreFollowedAndReported() throws {
        transport.enqueue(
            ScriptedResponse(status: .found, headers: [.location: "/b"], body: "moved"), ScriptedResponse(body: "here"))
        let response = try result(client().get("http://a/a"))?.get()
        XCTAssertEqual(response?.text, "here")
        XCTAssertEqual(response?.url.path, "/b")
        XCTAssertEqual(transport.requests.map(\.target), ["/a", "/b"])
    }

    func testEndlessRedirectsAreFollowedToTheLimit() {
        transport.route { request in
            ScriptedResponse(status: .found, headers: [.location: request.target + "x"])
        }
        let error = failure(client().get("http://a/"))
        XCTAssertEqual(error?.code, .tooManyRedirects)
        XCTAssertEqual(error?.response.map { "\($0.status.code) \($0.url.path)" }, "302 /xxxxxxxxxx")
        XCTAssertEqual(transport.requestCount, 11)
    }

    func testARedirectBackToTheFirstURLIsFollowed() throws {
        transport.enqueue(
            ScriptedResponse(status: .found, headers: [.location: "/login"]),
            ScriptedResponse(status: .found, headers: [.location: "/"]), ScriptedResponse(body: "in"))
        XCTAssertEqual(try result(client().get("http://a/"))?.get().text, "in")
        XCTAssertEqual(transport.requests.map(\.target), ["/", "/login", "/"])
    }

    func testAnAddressThatRedirectsToItselfIsRequestedUntilItResponds() throws {
        for _ in 0..<3 { transport.enqueue(ScriptedResponse(status: .found, headers: [.location: "/"])) }
        transport.enqueue(ScriptedResponse(body: "in"))
        XCTAssertEqual(try result(client().get("http://a/"))?.get().text, "in")
        XCTAssertEqual(transport.requestCount, 4)
    }

    func testWithRedirectsDisabledTheRedirectIsDelivered() throws {
        transport.enqueue(ScriptedResponse(status: .found, headers: [.location: "/b"]))
        XCTAssertEqual(try result(client([]) { $0.redirectLimit = 0 }.get("http://a/"))?.get().status, .found)
    }

    func testAdaptersRunInOrderOnEachAttemptAndEachRedirect() throws {
        transport.enqueue(
            ScriptedResponse(status: .found, headers: [.location: "/b"]),
            ScriptedResponse(status: .serviceUnavailable, headers: [.retryAfter: "1"]), ScriptedResponse(body: "done"))
        let interceptors: [any RequestInterceptor] = [Mark("a"), Mark("b"), RetryPolicy(limit: 1)]
        XCTAssertEqual(try result(client(interceptors).get("http://a/"))?.get().text, "done")
        XCTAssertEqual(transport.requests.map { $0.headers[.mark] }, ["ab", "ab", "ab"])
    }

    func testATagThatAnAdapterSetsIsAvailableInTheNextAttemptAndRedirect() throws {
        transport.enqueue(
            ScriptedResponse(status: .found, headers: [.location: "/b"]), ScriptedResponse(status: .serviceUnavailable),
            ScriptedResponse(body: "done"))
        _ = result(client([Count(), RetryPolicy(limit: 1)]).get("http://a/"))
        XCTAssertEqual(transport.requests.map { $0.headers[.mark] }, ["1", "2", "3"])
    }

    func testAFailingAdapterEndsTheRequest() {
        let error = HTTPClientError(.loginRequired, phase: .preparing, message: "log in")
        XCTAssertEqual(failure(client([Mark("a", failing: error)]).get("http://a/"))?.code, .loginRequired)
        XCTAssertEqual(transport.requestCount, 0)
    }

    func testARetryWaitsForRetryAfter() throws {
        for (asked, jitter, random, waited) in [
            ("7", 0, 0.5, 7000), ("7", 0.1, 0, 7000), ("7", 0.1, 0.5, 7350), ("0", 0.1, 0.5, 50),
            ("30", 0.1, 1, 33_000),
        ] {
            let start = scheduler.now
            transport.enqueue(
                ScriptedResponse(status: .tooManyRequests, headers: [.retryAfter: asked]),
                ScriptedResponse(body: "done"))
            var policy = RetryPolicy(limit: 3, random: { random })
            policy.retryAfterJitter = jitter
            let client = client([policy])
            XCTAssertEqual(try result(client.post("http://a/", body: .text("x")))?.get().text, "done")
            let time = start.duration(to: scheduler.now) / .milliseconds(1)
            XCTAssertEqual(time, Double(waited), accuracy: 1, "\(asked) s, and a share of more")
        }
    }

    func testARequestThatTheServerMayHaveProcessedIsNotResent() throws {
        transport.enqueue(ScriptedResponse(status: .badGateway), .close)
        let client = client([RetryPolicy(limit: 3)])
        XCTAssertEqual(try result(client.post("http://a/", body: .text("x")))?.get().status, .badGateway)
        XCTAssertEqual(failure(client.post("http://a/", body: .text("x")))?.code, .connectionLost)
        XCTAssertEqual(transport.requestCount, 2)
    }

    func testTheLastResponseIsDeliveredAfterTheLastRetry() throws {
        transport.route { _ in ScriptedResponse(status: .badGateway, body: "bad") }
        let response = try result(client([RetryPolicy(limit: 2, random: { 0.5 })]).get("http://a/"))?.get()
        XCTAssertEqual(response?.text, "bad")
        XCTAssertEqual(transport.requestCount, 3)
        XCTAssertEqual(scheduler.now.sinceStart, .milliseconds(750))
    }

    func testOneDeadlineCoversRetriesAndTheirDelaysAndAWaitBeyondItDoesNotBegin() throws {
        transport.route { _ in ScriptedResponse(status: .serviceUnavailable, headers: [.retryAfter: "15"]) }
        let client = client([RetryPolicy(limit: 5)]) { $0.timeout = .seconds(30) }
        XCTAssertEqual(try result(client.get("http://a/"))?.get().status, .serviceUnavailable)
        XCTAssertEqual(transport.requestCount, 2)
        XCTAssertEqual(scheduler.now, Instant(sinceStart: .seconds(15)))
    }

    func testAFailureIsDeliveredAtOnceIfTheBackoffWouldEndAfterTheDeadline() {
        transport.route { _ in .close }
        var policy = RetryPolicy(limit: 5, random: { 0.5 })
        policy.baseDelay = .seconds(20)
        let error = failure(client([policy]) { $0.timeout = .seconds(10) }.get("http://a/"))
        XCTAssertEqual(error?.code, .connectionLost)
        XCTAssertEqual(scheduler.now, Instant(sinceStart: .zero))
    }

    func testARetryAfterThatIsTooLongForThePolicyDeliversTheResponse() throws {
        transport.route { _ in ScriptedResponse(status: .serviceUnavailable, headers: [.retryAfter: "11"]) }
        var policy = RetryPolicy(limit: 5)
        policy.longestRetryAfter = .seconds(10)
        XCTAssertEqual(try result(client([policy]).get("http://a/"))?.get().status, .serviceUnavailable)
        XCTAssertEqual(transport.requestCount, 1)
    }

    func testADeadlineDuringARetryDecisionIsAnErrorWithTheResponse() {
        transport.enqueue(ScriptedResponse(status: .unauthorized, body: "expired"))
        let error = failure(client([SlowRetrier()]) { $0.timeout = .seconds(3) }.get("http://a/"))
        XCTAssertEqual(error?.code, .timeout)
        XCTAssertEqual(error?.phase, .refreshing)
        XCTAssertEqual(error?.response?.text, "expired")
    }

    func testADeadlineWhileAnAdapterWaitsIsInThePhaseRefreshing() {
        let error = failure(client([SlowAdapter(scheduler: scheduler)]) { $0.timeout = .seconds(3) }.get("http://a/"))
        XCTAssertEqual(error?.code, .timeout)
        XCTAssertEqual(
            error?.message,
            "the request took longer than its 3.0 seconds, and waited for an interceptor, such as one that gets a credential"
        )
        XCTAssertEqual(error?.recoverySuggestion, .logInOrAllowMoreTime)
        XCTAssertEqual(
            error?.recoverySuggestion?.description,
            "log in if nobody has, look at the token endpoint or at an interceptor of your own, or allow the request more time"
        )
        XCTAssertEqual(error?.phase, .refreshing)
    }

    func testADeadlineCancelsASilentTransferOnce() {
        transport.enqueue(.silence)
        let error = failure(client([]) { $0.timeout = .seconds(3) }.get("http://a/"))
        XCTAssertEqual(error?.code, .timeout)
        XCTAssertEqual(transport.abandoned.count, 1)
    }

    func testDisposingCancelsTheTransfer() throws {
        transport.enqueue(.silence)
        client().events(try Request(.get, "http://a/")).subscribe().dispose()
        XCTAssertEqual(transport.abandoned.count, 1)
    }

    func testDisposingAtTheAttemptEventSendsNothing() throws {
        transport.enqueue(.silence)
        _ = client().events(try Request(.get, "http://a/")).take(1).subscribe()
        XCTAssertEqual(transport.requestCount, 0)
    }

    func testAPeekedResponseIsDeliveredWholeAndInOrder() throws {
        transport.enqueue(
            ScriptedResponse(status: .badRequest, pieces: [Array("ab".utf8), Array("cd".utf8)]).pausing(.seconds(1)))
        let response = try result(client([Mark("a")]).get("http://a/"))?.get()
        XCTAssertEqual(response?.text, "abcd")
    }
}

private final class Box<Value>: @unchecked Sendable {
    var value: Value?
}

extension HTTPField.Name {
    fileprivate static let mark = HTTPField.Name("X-Mark")!
}

/// Appends its name to a field.
private struct Mark: RequestInterceptor {
    let name: String
    let error: HTTPClientError?

    init(_ name: String, failing error: HTTPClientError? = nil) {
        self.name = name
        self.error = error
    }

    func adapt(_ request: inout Request) -> Adaptation {
        if let error { return .failed(error) }
        request.headers[.mark] = (request.headers[.mark] ?? "") + name
        return .ready
    }
}

/// Counts in a tag how often it was asked about a request.
private struct Count: RequestInterceptor {
    struct Tag: RequestTag {
        var count: Int
    }

    func adapt(_ request: inout Request) -> Adaptation {
        let count = (request.tags[Tag.self]?.count ?? 0) + 1
        request.tags[Tag.self] = Tag(count: count)
        request.headers[.mark] = "\(count)"
        return .ready
    }
}

/// Never decides whether to retry.
private struct SlowRetrier: RequestInterceptor {
    func retry(_ attempt: Attempt) -> Single<RetryResult> { .never() }
}
