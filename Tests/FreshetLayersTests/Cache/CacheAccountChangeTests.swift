import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

@testable import FreshetLayers

/// Tests a cache over layers that send one request twice, or for several callers, while another account logs in.
final class CacheAccountChangeTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    private let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
    private let login = Locked("anna")

    private struct Account: RequestInterceptor {
        let login: Locked<String>

        func account(of request: Request) -> AccountResolution {
            .ready(RequestAccount(loginID: login.withLock { $0 }))
        }
    }

    private func client(_ server: StubTransport, _ layer: any TransportLayer) -> HTTPClient {
        let cache = HTTPCache(
            store: MemoryCacheStore(),
            secondsSince1970: { [scheduler] in CacheBench.start + scheduler.now.sinceStart / .seconds(1) })
        return HTTPClient(
            transport: server, scheduler: scheduler, layers: [cache, layer], interceptors: [Account(login: login)])
    }

    /// A layer that sends a second attempt after 50 ms, once it has learned that from a first response.
    private func hedged(_ server: StubTransport) throws -> HTTPClient {
        var settings = Hedging.Settings()
        settings.minimumResponses = 1
        let client = client(
            server, Hedging(settings, budget: RetryBudget(scheduler: scheduler), scheduler: scheduler))
        server.enqueue(ScriptedResponse(body: "learned").after(.milliseconds(50)))
        _ = try begin(client, "/b")
        scheduler.advanceBy(1000)
        return client
    }

    private func begin(_ client: HTTPClient, _ path: String = "/a") throws -> Locked<Response?> {
        let response = Locked<Response?>(nil)
        _ = client.send(try Request(.get, "http://a.example\(path)")).subscribe(
            onSuccess: { value in response.withLock { $0 = value } })
        return response
    }

    private func response(_ body: String, _ headers: HTTPFields = [.cacheControl: "max-age=1000"], after delay: Int)
        -> ScriptedResponse
    {
        ScriptedResponse(headers: headers, body: body).after(.milliseconds(delay))
    }

    /// The second attempt was prepared for another account, and the first one's response was stored for that account.
    func testTheResponseToAFirstAttemptIsNotStoredForTheAccountOfTheSecond() throws {
        let server = StubTransport(scheduler: scheduler)
        let client = try hedged(server)
        server.enqueue(response("anna's", after: 200), response("bert's", after: 5000))
        let first = try begin(client)
        scheduler.advanceBy(10)
        login.withLock { $0 = "bert" }
        scheduler.advanceBy(300)
        XCTAssertEqual(server.requestCount, 3, "the second attempt was sent")
        XCTAssertEqual(first.withLock { $0?.text }, "anna's")
        server.enqueue(response("bert's", after: 10))
        let second = try begin(client)
        scheduler.advanceBy(100)
        XCTAssertEqual(second.withLock { $0?.text }, "bert's")
    }

    /// The caller got the 304, which has no body.
    func testAConfirmationForTheAccountOfAnotherAttemptIsReplacedByAResponse() throws {
        let server = StubTransport(scheduler: scheduler)
        let client = try hedged(server)
        server.enqueue(response("anna's", [.cacheControl: "max-age=1", .eTag: #""e""#], after: 10))
        _ = try begin(client)
        scheduler.advanceBy(10_000)
        server.enqueue(
            ScriptedResponse(status: .notModified).after(.milliseconds(200)), response("late", after: 5000),
            response("bert's", after: 10))
        let outcome = try begin(client)
        scheduler.advanceBy(10)
        login.withLock { $0 = "bert" }
        scheduler.advanceBy(300)
        XCTAssertEqual(outcome.withLock { $0?.status }, .ok)
        XCTAssertEqual(outcome.withLock { $0?.text }, "bert's")
    }

    /// The second caller had joined for the first account, under which the response to the second account was stored.
    func testTheResponseToASharedRequestIsNotStoredForAnAccountThatHasLoggedOutBeforeItWasSent() throws {
        let server = StubTransport(scheduler: scheduler)
        let isOpen = PublishSubject<Void>()
        struct Queue: TransportLayer {
            let isOpen: PublishSubject<Void>

            func wrapping(_ transport: any Transport) -> any Transport {
                ObservableTransport(unprepared: { request, receiver in
                    isOpen.take(1).flatMap { transport.parts(request, for: receiver) }
                })
            }
        }
        let cache = HTTPCache(store: MemoryCacheStore(), secondsSince1970: { CacheBench.start })
        let client = HTTPClient(
            transport: server, scheduler: scheduler, layers: [cache, Coalescing(), Queue(isOpen: isOpen)],
            interceptors: [Account(login: login)])
        server.enqueue(response("bert's", after: 10))
        let callers = [try begin(client), try begin(client)]
        scheduler.advanceBy(10)
        login.withLock { $0 = "bert" }
        isOpen.onNext(())
        scheduler.advanceBy(100)
        XCTAssertEqual(callers.map { $0.withLock { $0?.text } }, ["bert's", "bert's"])
        login.withLock { $0 = "anna" }
        server.enqueue(response("anna's", after: 10))
        let later = try begin(client)
        scheduler.advanceBy(10)
        isOpen.onNext(())
        scheduler.advanceBy(100)
        XCTAssertEqual(later.withLock { $0?.text }, "anna's")
    }
}
