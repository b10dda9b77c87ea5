import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

final class AdaptationTests: StubbedTestCase {
    private func mark(with interceptors: any RequestInterceptor...) -> String? {
        transport.enqueue(ScriptedResponse(body: "x"))
        let client = HTTPClient(transport: transport, scheduler: scheduler, interceptors: interceptors)
        let subscription = client.get("http://a/").subscribe { _ in }
        scheduler.start()
        subscription.dispose()
        return transport.requests.last?.headers[.mark]
    }

    func testAdaptersRunInOrderWhetherTheyAreAsynchronousOrNot() {
        XCTAssertEqual(mark(with: AtOnce("a"), ByStream("b"), AtOnce("c")), "abc")
        XCTAssertEqual(mark(with: ByStream("a"), AtOnce("b"), AtOnce("c")), "abc")
    }

    func testAnAdapterRunsAfterAnEarlierOneThatWaits() {
        XCTAssertEqual(
            mark(with: AtOnce("a"), ByStream("b", after: .seconds(1), on: scheduler), AtOnce("c"), ByStream("d")),
            "abcd")
    }

    /// The authorization and the key of the last request that was sent, and the error.
    private func sent(
        by interceptors: [any RequestInterceptor], headers: HTTPFields = [:],
        first: ScriptedResponse = ScriptedResponse()
    ) -> (fields: [String?]?, error: HTTPClientError?) {
        let transport = StubTransport(scheduler: scheduler)
        transport.enqueue(first, ScriptedResponse())
        let client = HTTPClient(transport: transport, scheduler: scheduler, interceptors: interceptors)
        let failure = Locked<HTTPClientError?>(nil)
        let subscription = client.get("https://a/", headers: headers).subscribe(
            onFailure: { error in failure.withLock { $0 = error as? HTTPClientError } })
        scheduler.start()
        subscription.dispose()
        let last = transport.requests.last?.headers
        return (last.map { [$0[.authorization], $0[.key]] }, failure.withLock { $0 })
    }

    func testACredentialDoesNotLeaveItsOriginByALaterAdapter() throws {
        for move in [Moving(to: "https://b/", slowly: false), Moving(to: "http://a/", slowly: true)] {
            for credential in [KeyOfA(name: .authorization), KeyOfA(name: .key)] {
                let (fields, error) = sent(by: [AtOnce("a"), credential, ByStream("b"), move])
                XCTAssertNil(fields)
                XCTAssertEqual(error?.code, .invalidRequest)
                XCTAssertEqual(error?.isUnsent, true)
                let description = try XCTUnwrap(error).description
                XCTAssertTrue(description.contains("has a credential for https://a"), description)
                XCTAssertFalse(description.contains("SECRET"))
            }
        }
    }

    func testACredentialDoesNotLeaveItsOriginInALaterAttemptOrHop() throws {
        for response in [
            ScriptedResponse(status: .serviceUnavailable), ScriptedResponse(status: .found, headers: [.location: "/2"]),
        ] {
            for name in [HTTPField.Name.authorization, .key] {
                let (fields, error) = sent(
                    by: [KeyOfA(name: name), MovingLater(), RetryPolicy(limit: 1, random: { 0 })], first: response)
                XCTAssertEqual(fields, [name == .authorization ? "SECRET" : nil, name == .key ? "SECRET" : nil])
                XCTAssertEqual(error?.code, .invalidRequest, "\(response.status) \(name)")
            }
        }
    }

    func testCookiesDoNotLeaveTheirOriginByALaterAdapter() {
        let jar = CookieJar(secondsSince1970: { 0 })
        jar.set(Cookie(name: "session", value: "s3", domain: "a"))
        let (fields, error) = sent(by: [jar, Moving(to: "https://b/", slowly: false)])
        XCTAssertNil(fields)
        XCTAssertEqual(error?.code, .invalidRequest)
    }

    func testAnAuthorizationThatAnAdapterRemovesIsNone() {
        let move = Moving(to: "https://b/", slowly: false)
        let (fields, error) = sent(by: [Removing(), move], headers: [.authorization: "own"])
        XCTAssertEqual(fields, [nil, nil])
        XCTAssertNil(error)
    }

    func testAnAdapterThatMovesTheRequestBeforeTheCredentialIsAppliedIsObeyed() {
        let move = Moving(to: "https://b/", slowly: true)
        XCTAssertEqual(sent(by: [move, KeyOfA(name: .key)]).fields, [nil, nil])
        XCTAssertEqual(sent(by: [AtOnce("a"), move], headers: [.authorization: "own"]).fields, ["own", nil])
    }

    func testAFailingAdapterEndsTheRequestUnsent() {
        XCTAssertNil(mark(with: AtOnce("a"), Failing(), AtOnce("c")))
        XCTAssertEqual(transport.requestCount, 0)
    }
}

extension HTTPField.Name {
    fileprivate static let mark = HTTPField.Name("X-Mark")!
    fileprivate static let key = HTTPField.Name("X-Key")!
}

extension Request {
    fileprivate mutating func add(_ name: String) { headers[.mark] = (headers[.mark] ?? "") + name }
}

private struct AtOnce: RequestInterceptor {
    let name: String

    init(_ name: String) {
        self.name = name
    }

    func adapt(_ request: inout Request) -> Adaptation {
        request.add(name)
        return .ready
    }
}

private struct ByStream: RequestInterceptor {
    let name: String
    let delay: Duration?
    let scheduler: (any SchedulerType)?

    init(_ name: String, after delay: Duration? = nil, on scheduler: (any SchedulerType)? = nil) {
        self.name = name
        self.delay = delay
        self.scheduler = scheduler
    }

    func adapt(_ request: inout Request) -> Adaptation {
        request.add(name)
        guard let delay, let scheduler else { return .waiting(.just(request)) }
        return .waiting(Single.just(request).delay(delay, scheduler: scheduler))
    }
}

/// Puts a credential on requests to `https://a`.
private struct KeyOfA: RequestInterceptor {
    let name: HTTPField.Name

    func adapt(_ request: inout Request) -> Adaptation {
        guard request.url.origin.description == "https://a" else { return .ready }
        let plain = request
        request.headers[name] = "SECRET"
        request.recordSecrets(["SECRET"], addedTo: plain)
        return .ready
    }
}

private struct Moving: RequestInterceptor {
    let target: String
    let isSlow: Bool

    init(to target: String, slowly: Bool) {
        self.target = target
        isSlow = slowly
    }

    func adapt(_ request: inout Request) -> Adaptation {
        do {
            var moved = request
            moved.url = try RequestURL(target)
            if isSlow { return .waiting(.just(moved)) }
            request = moved
            return .ready
        } catch {
            return .failed(error)
        }
    }
}

/// Moves all but the first attempt of a request.
private final class MovingLater: RequestInterceptor {
    private let count = Locked(0)

    func adapt(_ request: inout Request) -> Adaptation {
        let isFirst = count.withLock { count in
            count += 1
            return count == 1
        }
        return isFirst ? .ready : Moving(to: "https://b/", slowly: false).adapt(&request)
    }
}

private struct Removing: RequestInterceptor {
    func adapt(_ request: inout Request) -> Adaptation {
        request.headers[.authorization] = nil
        return .ready
    }
}

private struct Failing: RequestInterceptor {
    func adapt(_ request: inout Request) -> Adaptation {
        .failed(HTTPClientError(.invalidRequest, phase: .preparing, message: "no"))
    }
}
