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

    func testAFailingAdapterEndsTheRequestUnsent() {
        XCTAssertNil(mark(with: AtOnce("a"), Failing(), AtOnce("c")))
        XCTAssertEqual(transport.requestCount, 0)
    }
}

extension HTTPField.Name {
    fileprivate static let mark = HTTPField.Name("X-Mark")!
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

private struct Failing: RequestInterceptor {
    func adapt(_ request: inout Request) -> Adaptation {
        .failed(HTTPClientError(.invalidRequest, phase: .preparing, message: "no"))
    }
}
