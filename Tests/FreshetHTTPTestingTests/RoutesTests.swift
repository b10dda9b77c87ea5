import FreshetCore
import FreshetHTTP
import FreshetTesting
import HTTPTypes
import XCTest

@testable import FreshetHTTPTesting

/// Tests which response each request gets.
final class RoutesTests: XCTestCase {
    private var resources = 0

    override func setUp() {
        resources = Resources.total
    }

    override func tearDown() {
        XCTAssertEqual(Resources.total, resources)
    }

    private func text(_ transport: StubTransport, _ path: String, method: HTTPRequest.Method = .get) throws -> String {
        let text = Locked("")
        transport.parts(try Request(method, "http://example.com\(path)")).subscribe { event in
            switch event {
            case .next(.body(let bytes)): text.withLock { $0 += String(decoding: bytes, as: UTF8.self) }
            case .error(let error as HTTPClientError): text.withLock { $0 += error.code.rawValue }
            default: break
            }
        }.dispose()
        return text.withLock { $0 }
    }

    func testOneStarMatchesOneSegmentAndTwoStarsMatchTheRest() throws {
        let transport = StubTransport()
        transport.route(.get, "/users/*/posts") { _ in ScriptedResponse(body: "posts") }
        transport.route(.get, "/files/**") { _ in ScriptedResponse(body: "file") }
        XCTAssertEqual(try text(transport, "/users/7/posts?page=2"), "posts")
        XCTAssertEqual(try text(transport, "/users//posts"), "invalid_request")
        XCTAssertEqual(try text(transport, "/users/7/8/posts"), "invalid_request")
        XCTAssertEqual(try text(transport, "/users/7/posts", method: .post), "invalid_request")
        XCTAssertEqual(try text(transport, "/files/a/b.txt"), "file")
        XCTAssertEqual(try text(transport, "/files/"), "file")
        XCTAssertEqual(try text(transport, "/files"), "invalid_request")
        XCTAssertEqual(transport.requests(to: "/files/**").map(\.path), ["/files/a/b.txt", "/files/"])
        XCTAssertEqual(transport.requests(.post, to: "/users/*/posts").count, 1)
    }

    func testAPatternWithAQueryAnOriginOrNoSlashIsRefused() {
        for path in ["/a?b=1", "/a/*?b=1", "https://api.example/a", "http://h", "users/*", "users/:id", ""] {
            XCTAssertNotNil(RoutePattern.problem(in: path), path)
        }
        for path in ["h:443", "[::1]:443", "/a/http://h/b", "*"] { XCTAssertNil(RoutePattern.problem(in: path), path) }
    }

    func testAPatternWithAStarThatMatchesNothingIsRefused() {
        for path in ["/a/**/b", "/a/*.json", "**/a", "/a**"] {
            XCTAssertNotNil(RoutePattern.problem(in: path), path)
        }
        for path in ["*", "**", "/*", "/a/**", "/*/b/*", "/a"] { XCTAssertNil(RoutePattern.problem(in: path), path) }
    }

    func testThePathOfATargetHasNoOriginAndNoQuery() {
        for (target, path) in [
            ("/a?b", "/a"), ("http://h/a?b=/c", "/a"), ("http://h", "/"), ("http://h?b", "/"), ("*", "*"),
            ("h:443", "h:443"), ("/a/http://h/b", "/a/http://h/b"),
        ] {
            XCTAssertEqual(RecordedRequest(method: .get, target: target, origin: "http://h").path, path)
        }
    }

    func testResponsesInSequenceAreUsedInOrderAndTheLastIsRepeated() throws {
        let transport = StubTransport()
        transport.route(.get, "/", responses: ScriptedResponse(body: "1"), ScriptedResponse(body: "2"))
        transport.route { _ in ScriptedResponse(body: "other") }
        XCTAssertEqual(try (0..<4).map { _ in try text(transport, "/") }, ["1", "2", "2", "2"])
        XCTAssertEqual(try text(transport, "/x"), "other")
    }

    func testAPredicateReceivesTheWholeRequest() throws {
        let transport = StubTransport()
        transport.route(where: { $0.query == "q=1" }) { ScriptedResponse(body: "found at \($0.path)") }
        XCTAssertEqual(try text(transport, "/a?q=1"), "found at /a")
        XCTAssertEqual(try text(transport, "/a?q=2"), "invalid_request")
    }

    func testAFailureInAPhaseNamesTheOrigin() throws {
        let transport = StubTransport()
        transport.enqueue(.failure(.connect, in: .connecting))
        let error = Locked<HTTPClientError?>(nil)
        transport.parts(try Request(.get, "https://example.com/")).subscribe { event in
            if let failure = event.error as? HTTPClientError { error.withLock { $0 = failure } }
        }.dispose()
        XCTAssertEqual(error.withLock { $0?.phase }, .connecting)
        XCTAssertEqual(error.withLock { $0?.origin }, "https://example.com")
        XCTAssertEqual(error.withLock { $0?.isUnsent }, true)
    }

    func testAPacedBodyArrivesInPiecesOnVirtualTime() throws {
        let scheduler = TestScheduler(initialClock: 0)
        let transport = StubTransport(scheduler: scheduler)
        transport.enqueue(ScriptedResponse(body: "abcde").paced(2, every: .seconds(10)))
        let text = Locked("")
        let subscription = transport.parts(try Request(.get, "http://example.com/")).subscribe { event in
            if case .next(.body(let bytes)) = event { text.withLock { $0 += String(decoding: bytes, as: UTF8.self) } }
            if case .completed = event { text.withLock { $0 += "." } }
        }
        XCTAssertEqual(text.withLock { $0 }, "ab")
        scheduler.advanceTo(10)
        XCTAssertEqual(text.withLock { $0 }, "abcd")
        scheduler.advanceTo(20)
        XCTAssertEqual(text.withLock { $0 }, "abcde.")
        subscription.dispose()
    }

    func testAThrottleLimitsTheBytesThatPass() throws {
        let transport = StubTransport()
        let throttle = Throttle()
        transport.enqueue(ScriptedResponse(body: "abcde").throttled(by: throttle))
        let text = Locked("")
        let subscription = transport.parts(try Request(.get, "http://example.com/")).subscribe { event in
            if case .next(.body(let bytes)) = event { text.withLock { $0 += String(decoding: bytes, as: UTF8.self) } }
            if case .completed = event { text.withLock { $0 += "." } }
        }
        XCTAssertEqual(text.withLock { $0 }, "")
        throttle.allow(3)
        XCTAssertEqual(text.withLock { $0 }, "abc")
        throttle.open()
        XCTAssertEqual(text.withLock { $0 }, "abcde.")
        subscription.dispose()
    }

    func testAnEndlessBodyHasNoLengthAndStopsWhenItIsPaused() throws {
        let scheduler = TestScheduler(initialClock: 0)
        let transport = StubTransport(scheduler: scheduler)
        transport.enqueue(.repeating([1, 2], times: .max).after(.seconds(1)))
        let heads = Locked<[HTTPResponse]>([])
        let subscription = SerialDisposable()
        subscription.disposable = transport.parts(try Request(.get, "http://example.com/")).subscribe { event in
            if case .next(.head(let head)) = event { heads.withLock { $0.append(head) } }
            if case .next(.body) = event { subscription.pause() }
        }
        scheduler.advanceTo(1)
        XCTAssertEqual(heads.withLock { $0.count }, 1)
        XCTAssertNil(heads.withLock { $0.first }?.headerFields[.contentLength])
        XCTAssertEqual(transport.paused.count, 1)
        subscription.dispose()
        XCTAssertEqual(transport.abandoned.count, 1)
    }
}
