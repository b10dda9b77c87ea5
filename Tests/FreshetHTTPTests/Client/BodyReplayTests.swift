import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

/// Tests what a second attempt sends of a body that is read while it is sent.
final class BodyReplayTests: XCTestCase {
    private var resources = 0
    private let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
    private let opened = Locked(0)

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    private func body(isReplayable: Bool) -> RequestBody {
        opened.withLock { $0 = 0 }
        let opened = opened
        let stream = Observable<[UInt8]>.deferred {
            opened.withLock { $0 += 1 }
            return .of(Array("or".utf8), Array("der".utf8))
        }
        return .stream(stream, length: 5, isReplayable: isReplayable)
    }

    private func send(_ body: RequestBody, to api: StubTransport) throws -> Response? {
        let client = HTTPClient(
            transport: api, scheduler: scheduler,
            interceptors: [RetryPolicy(limit: 3, random: { 0 }, secondsSince1970: { 0 })])
        let result = Locked<Result<Response, any Error>?>(nil)
        let request = try Request(.put, "https://h/x", body: body)
        let subscription = client.send(request).subscribe { ending in result.withLock { $0 = ending } }
        scheduler.start()
        subscription.dispose()
        return try result.withLock { $0 }?.get()
    }

    func testARetryReadsTheBodyAgainIfThatIsPossible() throws {
        for isReplayable in [true, false] {
            let api = StubTransport(scheduler: scheduler)
            api.enqueue(ScriptedResponse(status: .serviceUnavailable), ScriptedResponse(body: "there"))
            let response = try send(body(isReplayable: isReplayable), to: api)
            XCTAssertEqual(response?.status, isReplayable ? .ok : .serviceUnavailable)
            XCTAssertEqual(api.requests.map(\.text), isReplayable ? ["order", "order"] : ["order"])
            XCTAssertEqual(opened.withLock { $0 }, isReplayable ? 2 : 1)
        }
    }

    func testARedirectThatKeepsTheBodyReadsItAgainIfThatIsPossible() throws {
        for status in [HTTPResponse.Status.temporaryRedirect, .permanentRedirect] {
            for isReplayable in [true, false] {
                let api = StubTransport(scheduler: scheduler)
                api.enqueue(
                    ScriptedResponse(status: status, headers: [.location: "/y"]), ScriptedResponse(body: "there"))
                let response = try send(body(isReplayable: isReplayable), to: api)
                XCTAssertEqual(response?.status, isReplayable ? .ok : status)
                XCTAssertEqual(api.requests.map(\.text), isReplayable ? ["order", "order"] : ["order"])
            }
        }
    }

    func testARedirectThatDropsTheBodyIsFollowed() throws {
        let api = StubTransport(scheduler: scheduler)
        api.enqueue(
            ScriptedResponse(status: .seeOther, headers: [.location: "/y"]), ScriptedResponse(body: "there"))
        XCTAssertEqual(try send(body(isReplayable: false), to: api)?.text, "there")
        XCTAssertEqual(api.requests.map(\.text), ["order", ""])
        XCTAssertEqual(api.requests.map(\.method), [.put, .get])
    }

    func testAnUploadReportsItsProgressOverRetries() throws {
        let api = StubTransport(scheduler: scheduler)
        api.enqueue(ScriptedResponse(status: .serviceUnavailable), ScriptedResponse(body: "there"))
        let client = HTTPClient(
            transport: api, scheduler: scheduler,
            interceptors: [RetryPolicy(limit: 3, random: { 0 }, secondsSince1970: { 0 })])
        let reported = Locked<[UploadProgress]>([])
        let request = try Request(.put, "https://h/x", body: body(isReplayable: true))
        let subscription = client.events(request).uploadProgress()
            .subscribe(onNext: { progress in reported.withLock { $0.append(progress) } })
        scheduler.start()
        subscription.dispose()
        XCTAssertEqual(reported.withLock { $0.map(\.sent) }, [0, 2, 5, 0, 2, 5])
        XCTAssertEqual(reported.withLock { $0.map(\.fraction) }, [0, 0.4, 1, 0, 0.4, 1])
    }

    func testAnUploadReportsItsProgressBesideItsResponse() throws {
        let api = StubTransport(scheduler: scheduler)
        api.enqueue(ScriptedResponse(status: .serviceUnavailable), .json("[1]"))
        let client = HTTPClient(
            transport: api, scheduler: scheduler,
            interceptors: [RetryPolicy(random: { 0 }, secondsSince1970: { 0 })])
        let (reported, received) = (Locked<[Int]>([]), Locked<[Int]>([]))
        let request = try Request(.put, "https://h/x", body: body(isReplayable: true))
        let subscription = client.upload(request) { progress in reported.withLock { $0.append(progress.sent) } }
            .validate().decode([Int].self).subscribe(onSuccess: { numbers in received.withLock { $0 = numbers } })
        scheduler.start()
        subscription.dispose()
        XCTAssertEqual(reported.withLock { $0 }, [0, 2, 5, 0, 2, 5])
        XCTAssertEqual(received.withLock { $0 }, [1])
    }

    func testTheProgressOfASmallBodyIsReportedOnceAndOfNoBodyNever() throws {
        func reported(_ body: RequestBody) throws -> [UploadProgress] {
            let request = try Request(.post, "https://h/", body: body)
            let reported = Locked<[UploadProgress]>([])
            Observable<RequestEvent>
                .of(.attempt(number: 1, request: request), .phase(.admitted), .phase(.requestSent(bytes: 99)))
                .uploadProgress().subscribe(onNext: { progress in reported.withLock { $0.append(progress) } }).dispose()
            return reported.withLock { $0 }
        }
        XCTAssertEqual(try reported(.bytes([1, 2])), [.init(sent: 0, total: 2), .init(sent: 2, total: 2)])
        XCTAssertEqual(try reported(.empty), [])
    }

    /// A server can refuse a body before any of it was sent.
    func testTheProgressOfABodyThatWasNotSentStaysAtZero() throws {
        func reported(_ body: RequestBody, expectsContinue: Duration? = nil) throws -> [Int] {
            var request = try Request(.post, "https://h/", body: body)
            var options = TransferOptions()
            options.expectsContinue = expectsContinue
            request.transfer = options
            let reported = Locked<[Int]>([])
            Observable<RequestEvent>
                .of(.attempt(number: 1, request: request), .phase(.admitted), .phase(.requestSent(bytes: 99)))
                .uploadProgress().subscribe(onNext: { progress in reported.withLock { $0.append(progress.sent) } })
                .dispose()
            return reported.withLock { $0 }
        }
        XCTAssertEqual(try reported(.bytes([1, 2]), expectsContinue: .seconds(1)), [0])
        XCTAssertEqual(try reported(.bytes([UInt8](repeating: 0, count: 100))), [0])
        XCTAssertEqual(try reported(body(isReplayable: true)), [0])
    }
}
