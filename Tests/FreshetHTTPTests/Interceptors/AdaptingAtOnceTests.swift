import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

final class AdaptingAtOnceTests: StubbedTestCase {
    private func mark(with interceptors: any RequestInterceptor...) -> String? {
        transport.enqueue(ScriptedAnswer(body: "x"))
        let client = HTTPClient(transport: transport, scheduler: scheduler, interceptors: interceptors)
        let subscription = client.get("http://a/").subscribe { _ in }
        scheduler.start()
        subscription.dispose()
        return transport.requests.last?.headers[.mark]
    }

    func testAdaptersAreAskedInTheirOrderWhetherTheyNeedAStreamOrNot() {
        XCTAssertEqual(mark(with: AtOnce("a"), ByStream("b"), AtOnce("c")), "abc")
        XCTAssertEqual(mark(with: ByStream("a"), AtOnce("b"), AtOnce("c")), "abc")
    }

    func testWhoStandsBehindOneThatWaitsIsAskedAfterwards() {
        XCTAssertEqual(
            mark(with: AtOnce("a"), ByStream("b", after: .seconds(1), on: scheduler), AtOnce("c"), ByStream("d")),
            "abcd")
    }

    func testWhoAdaptsAtOnceIsAStreamTooForThoseWhoAskForOne() throws {
        let request = try Request(.get, "http://a/")
        let adapted = Locked<String?>(nil)
        let subscription = AtOnce("a").adapt(request).subscribe { result in
            adapted.withLock { $0 = (try? result.get())?.headers[.mark] }
        }
        XCTAssertEqual(adapted.withLock { $0 }, "a")
        subscription.dispose()
        XCTAssertNil(request.headers[.mark])
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

    func adaptAtOnce(_ request: inout Request) -> Bool {
        request.add(name)
        return true
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

    func adapt(_ request: Request) -> Single<Request> {
        var request = request
        request.add(name)
        guard let delay, let scheduler else { return .just(request) }
        return Single.just(request).delay(delay, scheduler: scheduler)
    }
}
