import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

final class ResponseScriptTests: XCTestCase {
    private var resources = 0

    override func setUp() {
        resources = Resources.total
    }

    override func tearDown() {
        XCTAssertEqual(Resources.total, resources)
    }

    func testAScriptThatKeepsNoRequestsCountsAndEmitsThem() throws {
        let script = ResponseScript(keepsRequests: false)
        let transport = StubTransport(script: script)
        transport.enqueue(ScriptedResponse(), ScriptedResponse())
        let paths = Locked<[String]>([])
        let subscription = script.received.subscribe(onNext: { request in paths.withLock { $0.append(request.path) } })
        for path in ["/a", "/b"] {
            _ = try transport.parts(.init(.get, "http://example.com\(path)")).toBlocking().toArray()
        }
        subscription.dispose()
        XCTAssertEqual(paths.withLock { $0 }, ["/a", "/b"])
        XCTAssertEqual(script.requestCount, 2)
        XCTAssertTrue(script.requests.isEmpty)
    }

    func testEachObserverReceivesTheRequestsInOrderAlsoThoseThatArriveMeanwhile() throws {
        let transport = StubTransport()
        transport.route { _ in ScriptedResponse() }
        let send: @Sendable (String) throws -> Void = { path in
            transport.parts(try Request(.get, "http://example.com\(path)")).subscribe { _ in }.dispose()
        }
        for path in ["/1", "/2", "/3"] { try send(path) }
        let numbers = Locked<[Int]>([])
        let subscription = transport.received.subscribe(onNext: { request in
            if request.number == 1 { try? send("/4") }
            numbers.withLock { $0.append(request.number) }
        })
        subscription.dispose()
        XCTAssertEqual(numbers.withLock { $0 }, [1, 2, 3, 4])
    }

    func testTheQueuedResponsesAreThoseThatNoRequestHasGot() throws {
        let transport = StubTransport()
        transport.route { _ in ScriptedResponse() }
        transport.enqueue(ScriptedResponse(), .silence, .failure(.connect, in: .connecting))
        let counts = try (0..<4).map { _ in
            transport.parts(try Request(.get, "http://example.com/")).subscribe { _ in }.dispose()
            return transport.queuedResponseCount
        }
        XCTAssertEqual(counts, [2, 1, 0, 0])
    }

    func testAPeerHasTheAbandonmentsOfItsScript() throws {
        let transport = StubTransport()
        transport.enqueue(.silence)
        let paths = Locked<[String]>([])
        let subscription = transport.abandonments.subscribe(onNext: { request in
            paths.withLock { $0.append(request.path) }
        })
        transport.parts(try Request(.get, "http://example.com/a")).subscribe { _ in }.dispose()
        subscription.dispose()
        XCTAssertEqual(paths.withLock { $0 }, ["/a"])
    }
}
