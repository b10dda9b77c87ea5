import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

/// Tests requests that may be sent only once.
final class OneShotTests: XCTestCase {
    private var resources = 0
    private let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    private func send(
        _ method: HTTPRequest.Method, to api: StubTransport, body: RequestBody = .text("order"), isOneShot: Bool = true
    ) throws -> Result<Response, any Error>? {
        var policy = RetryPolicy(limit: 3, random: { 0 }, secondsSince1970: { 0 })
        policy.includesAllMethods = true
        let client = HTTPClient(transport: api, scheduler: scheduler, interceptors: [policy])
        var request = try Request(method, "https://h/x", body: body)
        request.isOneShot = isOneShot
        let result = Locked<Result<Response, any Error>?>(nil)
        let subscription = client.send(request).subscribe { ending in result.withLock { $0 = ending } }
        scheduler.start()
        subscription.dispose()
        return result.withLock { $0 }
    }

    private struct Once: RequestInterceptor {
        func adapt(_ request: inout Request) -> Adaptation {
            request.isOneShot = true
            return .ready
        }
    }

    func testAnInterceptorCanMakeARequestOneShot() throws {
        let api = StubTransport(scheduler: scheduler)
        api.enqueue(ScriptedResponse(status: .serviceUnavailable), ScriptedResponse())
        let client = HTTPClient(
            transport: api, scheduler: scheduler, interceptors: [Once(), RetryPolicy(limit: 1, random: { 0 })])
        let subscription = client.get("https://h/").subscribe { _ in }
        scheduler.start()
        subscription.dispose()
        XCTAssertEqual(api.requestCount, 1)
    }

    func testNoRetrierResendsAOneShotRequest() throws {
        for isOneShot in [true, false] {
            let api = StubTransport(scheduler: scheduler)
            api.enqueue(ScriptedResponse(status: .serviceUnavailable), ScriptedResponse(body: "late"))
            let response = try send(.put, to: api, isOneShot: isOneShot)?.get()
            XCTAssertEqual(response?.status, isOneShot ? .serviceUnavailable : .ok)
            XCTAssertEqual(api.requestCount, isOneShot ? 1 : 2)
        }
        let api = StubTransport(scheduler: scheduler)
        api.enqueue(.reset, ScriptedResponse(body: "late"))
        XCTAssertThrowsError(try send(.put, to: api)?.get())
        XCTAssertEqual(api.requestCount, 1)
    }

    func testAnUnsentOneShotRequestIsRetried() throws {
        let api = StubTransport(scheduler: scheduler)
        api.enqueue(
            .failure(HTTPClientError(.connect, phase: .connecting, message: "no", isUnsent: true)),
            ScriptedResponse(body: "now"))
        XCTAssertEqual(try send(.post, to: api)?.get().text, "now")
    }

    func testARedirectThatWouldResendTheBodyIsDelivered() throws {
        for (status, isFollowed) in [(301, true), (302, true), (303, true), (307, false), (308, false)] {
            let api = StubTransport(scheduler: scheduler)
            api.enqueue(
                ScriptedResponse(status: .init(code: status), headers: [.location: "/y"]),
                ScriptedResponse(body: "there"))
            XCTAssertEqual(try send(.post, to: api)?.get().status.code, isFollowed ? 200 : status)
        }
        let api = StubTransport(scheduler: scheduler)
        api.enqueue(
            ScriptedResponse(status: .temporaryRedirect, headers: [.location: "/y"]), ScriptedResponse(body: "there"))
        XCTAssertEqual(try send(.post, to: api, body: .empty)?.get().text, "there", "nothing to send again")
    }

    func testTheErrorOfARequestThatWasSentBeforeDoesNotSayThatItIsUnsent() throws {
        func isUnsent(_ responses: ScriptedResponse..., isOneShot: Bool = false) throws -> Bool? {
            let api = StubTransport(scheduler: scheduler)
            for response in responses { api.enqueue(response) }
            guard case .failure(let error as HTTPClientError)? = try send(.post, to: api, isOneShot: isOneShot) else {
                return nil
            }
            XCTAssertEqual(error.code, .connect)
            return error.isUnsent
        }
        let refused = ScriptedResponse.failure(.connect, in: .connecting, isUnsent: true)
        let seeOther = ScriptedResponse(status: .seeOther, headers: [.location: "/y"])
        XCTAssertEqual(try isUnsent(refused, refused, refused, refused), true)
        XCTAssertEqual(try isUnsent(seeOther, refused, refused, refused, refused, isOneShot: true), false)
        XCTAssertEqual(try isUnsent(.reset, refused, refused, refused), false)
        XCTAssertEqual(
            try isUnsent(ScriptedResponse(status: .serviceUnavailable), refused, refused, refused), false)
    }
}
