import Foundation
import FoundationNetworking
import Freshet
import FreshetHTTPTesting
import FreshetTesting
import XCTest

/// Runs the examples of the pages for people who know another client.
final class ComingFromOthersTests: LiveExampleTestCase {
    func testTheExamplesForAlamofireSendTheDescribedRequests() async throws {
        let example = ComingFromAlamofire(runtime: runtime)
        let tide = ComingFromAlamofire.Item(id: 7, name: "tide")
        server.enqueue(
            ScriptedResponse(status: .serviceUnavailable, headers: [.retryAfter: "0"]),
            .json(#"[{"id": 7, "name": "tide"}]"#), .json(#"{"id": 7, "name": "tide"}"#))
        let items = try await example.items(page: 2, at: server.url)
        XCTAssertEqual(items, [tide])
        let created = try await example.create(tide, at: server.url).value
        XCTAssertEqual(created, tide)
        server.enqueue(.json(#"[{"id": 7, "name": "tide"}]"#))
        let routed = URLRequest(url: try XCTUnwrap(URL(string: "\(server.url)/items?page=3")))
        let routedItems = try await example.items(routed).value
        XCTAssertEqual(routedItems, [tide])
        XCTAssertEqual(
            server.requests.map(\.target), ["/items?page=2", "/items?page=2", "/items", "/items?page=3"])

        let authenticator = ClosureAuthenticator { _ in .just(Credential(accessToken: "a2")) }
        let gate = runtime.gate(
            store: MemoryStore(Credential(accessToken: "a1", refreshToken: "r1")), authenticator: authenticator)
        server.enqueue(ScriptedResponse(status: .unauthorized), ScriptedResponse())
        let client = try example.authenticated(gate, authenticator, api: server.url)
        _ = try await client.get(server.url).validate().value
        XCTAssertEqual(server.requests.suffix(2).map(\.bearerToken), ["a1", "a2"])
    }

    func testTheInterceptorForAlamofireSetsItsFieldForItsOriginAndRetriesTwice() throws {
        let scheduler = TestScheduler(initialClock: 0, simulateProcessingDelay: false)
        let transport = StubTransport(scheduler: scheduler)
        transport.route { request in
            switch (request.origin, request.path) {
            case ("http://a", "/moved"): ScriptedResponse(status: .found, headers: [.location: "http://b/"])
            case ("http://a", _): ScriptedResponse(status: .serviceUnavailable)
            default: ScriptedResponse()
            }
        }
        var configuration = HTTPClient.Configuration()
        configuration.monitors = [Console()]
        let client = HTTPClient(
            transport: transport, scheduler: scheduler, interceptors: [ClientName(origin: try Origin("http://a"))],
            configuration: configuration)
        let statuses = scheduler.createObserver(Int.self)
        _ = client.get("http://a/").map(\.status.code).asObservable().subscribe(statuses)
        scheduler.start()
        XCTAssertEqual(statuses.events, [.next(2, 503), .completed(2)])
        XCTAssertEqual(transport.requests.map { $0.headers["X-Client"] }, ["tides", "tides", "tides"])
        _ = client.get("http://a/moved").asObservable().subscribe()
        scheduler.start()
        XCTAssertEqual(transport.requests.suffix(2).map { $0.headers["X-Client"] }, ["tides", nil])
    }

    func testTheRetrierForAlamofireSeesAnErrorInTheBodyOfASuccess() {
        let scheduler = TestScheduler(initialClock: 0, simulateProcessingDelay: false)
        let transport = StubTransport(scheduler: scheduler)
        transport.route(.get, "/", responses: ScriptedResponse(body: "busy"), ScriptedResponse(body: "tide"))
        let client = HTTPClient(transport: transport, scheduler: scheduler, interceptors: [BusyBody()])
        let texts = scheduler.createObserver(String.self)
        _ = client.get("http://a/").map(\.text).asObservable().subscribe(texts)
        scheduler.start()
        XCTAssertEqual(texts.events, [.next(1, "tide"), .completed(1)])
    }

    func testTheInterceptorWithStateForAlamofireRefreshesOnceForThreeRequests() throws {
        let scheduler = TestScheduler(initialClock: 0, simulateProcessingDelay: false)
        let transport = StubTransport(scheduler: scheduler)
        transport.route { request in
            ScriptedResponse(status: request.bearerToken == "a2" ? .ok : .unauthorized).after(.seconds(1))
        }
        let refreshes = Locked(0)
        let refresh = Single<String>.deferred {
            refreshes.withLock { $0 += 1 }
            return Single.just("a2").delay(.seconds(2), scheduler: scheduler)
        }
        let interceptor = TokenInterceptor(token: "a1", for: try Origin("http://a"), refresh: refresh)
        let client = HTTPClient(transport: transport, scheduler: scheduler, interceptors: [interceptor])
        let statuses = scheduler.createObserver(Int.self)
        _ = Observable.range(start: 0, count: 3)
            .flatMap { _ in client.get("http://a/").map(\.status.code) }
            .subscribe(statuses)
        scheduler.start()
        XCTAssertEqual(statuses.events, [.next(4, 200), .next(4, 200), .next(4, 200), .completed(4)])
        XCTAssertEqual(refreshes.withLock { $0 }, 1)
    }

    func testTheExamplesForMoyaSendTheDescribedRequests() async throws {
        let example = ComingFromMoya(client: runtime.client, base: "\(server.url)/v1")
        let tide = ComingFromMoya.Tide(name: "spring")
        server.enqueue(
            .json(#"[{"name": "spring"}]"#), ScriptedResponse(status: .created), ScriptedResponse(body: "kept"))
        let tides = try await example.list(page: 2).value
        XCTAssertEqual(tides, [tide])
        try await example.add(tide).value
        let sent = Locked<[Int]>([])
        let upload = try example.upload(.add(tide)) { progress in sent.withLock { $0.append(progress.sent) } }
        let response = try await upload.value
        XCTAssertEqual(response.text, "kept")
        XCTAssertEqual(sent.withLock { $0 }.last, #"{"name":"spring"}"#.utf8.count)
        XCTAssertEqual(server.requests.map(\.target), ["/v1/tides?page=2", "/v1/tides", "/v1/tides"])
        XCTAssertEqual(server.requests.map { $0.headers[.acceptLanguage] }, ["de", "de", "de"])
    }

    func testAnAbsentServerIsOfflineBehindAGateWhoseTokenHasExpiredToo() async throws {
        let absent = try ScriptedServer(on: runtime.loop)
        absent.close()
        let refreshClient = runtime.refreshClient
        let authenticator = ClosureAuthenticator { _ in
            refreshClient.post(absent.url).map { _ in Credential(accessToken: "a2") }
        }
        let example = ComingFromAlamofire(runtime: runtime)
        for (expiry, code) in [(nil, HTTPClientError.Code.connect), (0, .refreshFailed)] as [(Double?, _)] {
            let credential = Credential(accessToken: "a1", refreshToken: "r1", expiresAt: expiry)
            let gate = runtime.gate(store: MemoryStore(credential), authenticator: authenticator)
            let client = try example.authenticated(gate, authenticator, api: absent.url)
            let attempts = Locked(0)
            let request = Single.deferred {
                attempts.withLock { $0 += 1 }
                return client.get(absent.url)
            }
            do {
                _ = try await request.retry(2).value
                XCTFail("the server is absent")
            } catch {
                XCTAssertEqual((error as? HTTPClientError)?.code, code)
                XCTAssertTrue(ComingFromAlamofire.isOffline(error), "\(error)")
                XCTAssertEqual(attempts.withLock { $0 }, 2)
            }
        }
    }

    func testTheCheckForAlamofireRefusesAnotherContentType() async throws {
        let example = ComingFromAlamofire(runtime: runtime)
        server.enqueue(.json("{}"), ScriptedResponse(headers: [.contentType: "text/html"], body: "<p>"))
        _ = try await example.json(server.url).value
        do {
            _ = try await example.json(server.url).value
            XCTFail("HTML was accepted")
        } catch {
            XCTAssertTrue(error is ComingFromAlamofire.NotJSON)
        }
    }

    func testTheDriverForTheTimeOfThePortUsesTheMockedScheduler() {
        let scheduler = TestScheduler(initialClock: 0, simulateProcessingDelay: false)
        let observer = scheduler.createObserver(Int.self)
        let relay = BehaviorRelay(value: 0)
        SharingScheduler.mock(scheduler: scheduler) {
            let numbers = Observable.of(1, 2).asDriver(onErrorJustReturn: 0)
            _ = numbers.drive(observer)
            _ = numbers.drive(relay)
        }
        XCTAssertEqual(observer.events.elements, [])
        scheduler.start()
        XCTAssertEqual(observer.events.elements, [1, 2])
        XCTAssertEqual(relay.value, 2)
    }

    func testAnOperatorOfADriverRunsOnceForAllItsOutputs() {
        let scheduler = TestScheduler(initialClock: 0, simulateProcessingDelay: false)
        let titles = (0..<3).map { _ in scheduler.createObserver(String.self) }
        let count = scheduler.createObserver(Int.self)
        let requests = Locked(0)
        let page = BehaviorRelay(value: 1)
        let bag = DisposeBag()
        SharingScheduler.mock(scheduler: scheduler) {
            let title = page.asDriver().distinctUntilChanged().flatMapLatest { page in
                Observable.deferred {
                    requests.withLock { $0 += 1 }
                    return .just("page \(page)")
                }.asDriver(onErrorJustReturn: "none")
            }
            for observer in titles.dropLast() { title.drive(observer).disposed(by: bag) }
            title.scan(0) { count, _ in count + 1 }.drive(count).disposed(by: bag)
            scheduler.start()
            page.accept(2)
            scheduler.start()
            title.drive(titles[2]).disposed(by: bag)
        }
        XCTAssertEqual(titles.map(\.events.elements), [["page 1", "page 2"], ["page 1", "page 2"], ["page 2"]])
        XCTAssertEqual(count.events.elements, [1, 2])
        XCTAssertEqual(requests.withLock { $0 }, 2)
    }

    func testTheExampleForAsyncHTTPClientCountsTheBytes() async throws {
        server.enqueue(ScriptedResponse(body: "seven77"), ScriptedResponse(status: .notFound))
        let size = try await ComingFromAsyncHTTPClient.size(of: server.url)
        XCTAssertEqual(size, 7)
        do {
            _ = try await ComingFromAsyncHTTPClient.size(of: server.url)
            XCTFail("a 404 was counted")
        } catch {
            XCTAssertEqual((error as? HTTPClientError)?.code, .status)
        }
    }
}
