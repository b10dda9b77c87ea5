import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

@testable import FreshetLayers

final class CoalescingTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    /// Requests that begin at once, and a server whose responses wait for the test.
    private final class Bench {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let server: StubTransport
        let outcomes = Locked<[String]>([])
        private let login = Locked<String?>(nil)
        private let client: HTTPClient

        private struct Account: RequestInterceptor {
            let login: Locked<String?>

            func account(of request: Request) -> AccountResolution {
                .ready(login.withLock { $0 }.map { RequestAccount(loginID: $0) })
            }
        }

        init() {
            server = StubTransport(scheduler: scheduler)
            client = HTTPClient(
                transport: server, scheduler: scheduler, layers: [Coalescing()],
                interceptors: [Account(login: login)])
        }

        func logIn(_ id: String?) { login.withLock { $0 = id } }

        @discardableResult
        func begin(
            _ name: String, _ path: String = "/a", _ headers: HTTPFields = [:], method: HTTPRequest.Method = .get,
            interceptors: [any RequestInterceptor]? = nil, limit: Int? = nil, tenant: String? = nil
        )
            throws -> any Disposable
        {
            var request = try Request(method, "http://a.example\(path)", headers: headers)
            if let limit {
                request.transfer = TransferOptions()
                request.transfer?.maximumBodySize = limit
            }
            request.tags[Tenant.self] = tenant.map { Tenant(name: $0) }
            let sender = interceptors.map { client.with(interceptors: $0) } ?? client
            return sender.send(request).subscribe { [outcomes] result in
                switch result {
                case .success(let response): outcomes.withLock { $0.append("\(name) \(response.text)") }
                case .failure(let error):
                    outcomes.withLock {
                        $0.append("\(name) \((error as? HTTPClientError)?.code.rawValue ?? "\(error)")")
                    }
                }
            }
        }

        var results: [String] { outcomes.withLock { $0 } }
    }

    private func later(_ body: String, on bench: Bench) -> ScriptedResponse {
        .deferred(Single<Int>.timer(.seconds(1), scheduler: bench.scheduler).map { _ in ScriptedResponse(body: body) })
    }

    func testIdenticalRequestsAreSentOnce() throws {
        let bench = Bench()
        bench.server.enqueue(later("1", on: bench), later("2", on: bench))
        for name in ["a", "b", "c"] { try bench.begin(name) }
        bench.scheduler.advanceBy(500)
        try bench.begin("d")
        bench.scheduler.advanceBy(1000)
        XCTAssertEqual(bench.results, ["a 1", "b 1", "c 1", "d 1"])
        XCTAssertEqual(bench.server.requestCount, 1)
        try bench.begin("e")
        bench.scheduler.advanceBy(2000)
        XCTAssertEqual(bench.results.last, "e 2", "the response is not kept")
    }

    func testDifferentRequestsAreSentSeparately() throws {
        let bench = Bench()
        for number in 1...10 { bench.server.enqueue(later("\(number)", on: bench)) }
        try bench.begin("a")
        try bench.begin("b", "/b")
        try bench.begin("c", "/a", [.accept: "x"])
        try bench.begin("d", "/a", [.cacheControl: "no-cache"])
        try bench.begin("e", "/a", [.range: "bytes=0-1"])
        try bench.begin("f", method: .head)
        try bench.begin("g", method: .post)
        try bench.begin("j", limit: 3)
        bench.logIn("anna")
        try bench.begin("h")
        bench.logIn("bert")
        try bench.begin("i")
        bench.scheduler.advanceBy(2000)
        XCTAssertEqual(bench.server.requestCount, 10)
    }

    func testTheCredentialsOfAnInterceptorThatStatesNoAccountAreSeparated() throws {
        struct Bearer: RequestInterceptor {
            let token: String

            func adapt(_ request: inout Request) -> Adaptation {
                request.headers[.authorization] = "Bearer \(token)"
                return .ready
            }
        }
        let bench = Bench()
        for number in 1...2 { bench.server.enqueue(later("\(number)", on: bench)) }
        for name in ["ada", "bob", "ada"] { try bench.begin(name, interceptors: [Bearer(token: name)]) }
        bench.scheduler.advanceBy(2000)
        XCTAssertEqual(bench.results.sorted(), ["ada 1", "ada 1", "bob 2"])
    }

    /// janos/singleflight#4, nodejs/undici PR#5673.
    func testACallerThatCancelsLeavesTheRequestToTheOthers() throws {
        let bench = Bench()
        bench.server.enqueue(later("1", on: bench))
        let first = try bench.begin("a")
        try bench.begin("b")
        bench.scheduler.advanceBy(100)
        first.dispose()
        try bench.begin("c")
        bench.scheduler.advanceBy(2000)
        XCTAssertEqual(bench.results, ["b 1", "c 1"])
        XCTAssertEqual(bench.server.requestCount, 1)
    }

    func testCancellingAllCallersEndsTheRequestAndTheNextCallerStartsAnother() throws {
        let bench = Bench()
        bench.server.enqueue(later("1", on: bench), later("2", on: bench))
        let callers = [try bench.begin("a"), try bench.begin("b")]
        bench.scheduler.advanceBy(100)
        callers.forEach { $0.dispose() }
        try bench.begin("c")
        bench.scheduler.advanceBy(2000)
        XCTAssertEqual(bench.results, ["c 2"])
    }

    /// golang/go#33519: the callers that waited did so for ever.
    func testAFailureIsDeliveredToAllCallers() throws {
        let bench = Bench()
        bench.server.enqueue(
            .deferred(
                Single<Int>.timer(.seconds(1), scheduler: bench.scheduler)
                    .map { _ in .failure(.connectionLost, in: .waiting) }))
        for name in ["a", "b"] { try bench.begin(name) }
        bench.scheduler.advanceBy(2000)
        XCTAssertEqual(bench.results, ["a connection_lost", "b connection_lost"])
    }

    private struct Tenant: RequestTag, Hashable { let name: String }

    /// A repetition of such a request acts twice, so two callers want two responses. Both got the same one.
    func testRequestsThatMayBeSentOnceAreSentSeparately() throws {
        struct Forbidding: RequestInterceptor {
            func adapt(_ request: inout Request) -> Adaptation {
                request.isOneShot = true
                return .ready
            }
        }
        let bench = Bench()
        bench.server.enqueue(later("1", on: bench), later("2", on: bench))
        for name in ["a", "b"] { try bench.begin(name, interceptors: [Forbidding()]) }
        bench.scheduler.advanceBy(2000)
        XCTAssertEqual(bench.results, ["a 1", "b 2"])
    }

    /// The field, or the path, that an interceptor took from a request's tag did not count.
    func testRequestsThatAnInterceptorMakesDifferentAreSentSeparately() throws {
        struct Field: RequestInterceptor {
            func adapt(_ request: inout Request) -> Adaptation {
                request.headers[.acceptLanguage] = request.tags[Tenant.self]?.name
                return .ready
            }
        }
        struct Path: RequestInterceptor {
            func adapt(_ request: inout Request) -> Adaptation {
                let name = request.tags[Tenant.self]?.name ?? ""
                if let url = try? request.url.resolving("/\(name)") { request.url = url }
                return .ready
            }
        }
        // One that states no account, one that states that there is none, and one that waits for it.
        struct Waiting: RequestInterceptor {
            func account(of request: Request) -> AccountResolution { .waiting(.just(RequestAccount(loginID: "anna"))) }
        }
        struct NoAccount: RequestInterceptor {
            let interceptor: any RequestInterceptor
            func account(of request: Request) -> AccountResolution { .ready(nil) }
            func adapt(_ request: inout Request) -> Adaptation { interceptor.adapt(&request) }
        }
        for interceptor in [Field(), Path()] as [any RequestInterceptor] {
            for interceptors in [
                [interceptor], [NoAccount(interceptor: interceptor)], [Waiting(), NoAccount(interceptor: interceptor)],
            ] {
                let bench = Bench()
                bench.server.route { request in
                    let value = request.headers[.acceptLanguage] ?? String(request.path.dropFirst())
                    return ScriptedResponse(body: value).after(.milliseconds(100))
                }
                for name in ["ada", "bob", "ada"] {
                    try bench.begin(name, interceptors: interceptors, tenant: name)
                }
                bench.scheduler.advanceBy(1000)
                XCTAssertEqual(bench.results.sorted(), ["ada ada", "ada ada", "bob bob"])
                XCTAssertEqual(bench.server.requestCount, 2)
            }
        }
    }

    /// Each request has a trace and a proof of its own, and a token can be renewed at any time.
    func testFieldsThatEachRequestHasForItselfDoNotSeparateTheRequestsOfALogin() throws {
        final class Own: RequestInterceptor {
            let number = Locked(0)

            func account(of request: Request) -> AccountResolution { .ready(RequestAccount(loginID: "anna")) }
            func adapt(_ request: inout Request) -> Adaptation {
                let number = number.withLock { number in
                    number += 1
                    return number
                }
                for name in ["Authorization", "DPoP", "traceparent", "tracestate", "X-Request-ID"]
                    + ["sentry-trace", "baggage", "x-datadog-trace-id", "x-datadog-parent-id"]
                {
                    request.headers[HTTPField.Name(name)!] = "\(number)"
                }
                return .ready
            }
        }
        let bench = Bench()
        bench.server.enqueue(later("1", on: bench))
        let interceptors = [Own()]
        for name in ["a", "b"] { try bench.begin(name, interceptors: interceptors) }
        bench.scheduler.advanceBy(2000)
        XCTAssertEqual(bench.results, ["a 1", "b 1"])
        XCTAssertEqual(bench.server.requestCount, 1)
    }

    /// A caller read data from before its own change.
    func testARequestAfterAChangeOfItsURLJoinsNoRequestFromBeforeTheChange() throws {
        let bench = Bench()
        bench.server.enqueue(later("1", on: bench), ScriptedResponse(status: .noContent), later("2", on: bench))
        for name in ["a", "b"] { try bench.begin(name) }
        bench.scheduler.advanceBy(100)
        try bench.begin("put", method: .put)
        bench.scheduler.advanceBy(100)
        for name in ["c", "d"] { try bench.begin(name) }
        bench.scheduler.advanceBy(2000)
        XCTAssertEqual(bench.results, ["put ", "a 1", "b 1", "c 2", "d 2"])
    }

    func testAChangeOfTheLocationOfAResponseIsAChangeOfThatURL() throws {
        let bench = Bench()
        bench.server.enqueue(
            later("1", on: bench), ScriptedResponse(status: .created, headers: [.location: "/a"]), later("2", on: bench)
        )
        try bench.begin("a")
        bench.scheduler.advanceBy(100)
        try bench.begin("post", "/all", method: .post)
        bench.scheduler.advanceBy(100)
        try bench.begin("b")
        bench.scheduler.advanceBy(2000)
        XCTAssertEqual(bench.results, ["post ", "a 1", "b 2"])
    }

    func testAFailedChangeAndAChangeOfAnotherURLLeaveTheRequestsToJoin() throws {
        let bench = Bench()
        bench.server.enqueue(
            later("1", on: bench), ScriptedResponse(status: .conflict), ScriptedResponse(status: .noContent))
        try bench.begin("a")
        bench.scheduler.advanceBy(100)
        try bench.begin("put", method: .put)
        try bench.begin("put", "/b", method: .put)
        bench.scheduler.advanceBy(100)
        try bench.begin("b")
        bench.scheduler.advanceBy(2000)
        XCTAssertEqual(bench.results, ["put ", "put ", "a 1", "b 1"])
    }
}
