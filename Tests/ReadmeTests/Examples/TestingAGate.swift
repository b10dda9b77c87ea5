import Foundation
import Freshet
import FreshetHTTPTesting
import FreshetTesting
import XCTest

/// The examples of the page of this name.
final class TestingAGate: ResourceTestCase {
    func testTenRequestsShareOneRefresh() throws {
        let scheduler = TestScheduler(initialClock: 0, simulateProcessingDelay: false)
        let api = StubTransport(scheduler: scheduler)
        api.route { request in
            ScriptedResponse(status: request.bearerToken == "a2" ? .ok : .unauthorized).after(.seconds(1))
        }
        let refreshes = Locked(0)
        let authenticator = ClosureAuthenticator { _ in
            refreshes.withLock { $0 += 1 }
            return .just(Credential(accessToken: "a2", refreshToken: "r2")).delay(.seconds(2), scheduler: scheduler)
        }
        let store = MemoryStore(Credential(accessToken: "a1", refreshToken: "r1"))
        let interceptor = AuthenticationInterceptor(
            authenticator: authenticator, store: store, origins: [try Origin("https://api.example")],
            scheduler: scheduler)
        let client = HTTPClient(transport: api, scheduler: scheduler, interceptors: [interceptor])

        let observer = scheduler.createObserver(Int.self)
        _ = Observable.range(start: 1, count: 10)
            .flatMap { client.get("https://api.example/items/\($0)").validate() }
            .toArray().map(\.count).asObservable().subscribe(observer)
        scheduler.start()

        XCTAssertEqual(observer.events, [.next(4, 10), .completed(4)])
        XCTAssertEqual(refreshes.withLock { $0 }, 1)
        XCTAssertEqual(api.requestCount, 20)
        XCTAssertEqual(try store.load().toBlocking().single().credential?.refreshToken, "r2")
    }

    func testATokenIsRefreshedBeforeItIsSentAfterItsExpiry() throws {
        let scheduler = TestScheduler(initialClock: 0, simulateProcessingDelay: false)
        let api = StubTransport(scheduler: scheduler)
        api.route { _ in ScriptedResponse() }
        let interceptor = AuthenticationInterceptor(
            authenticator: ClosureAuthenticator { _ in .just(Credential(accessToken: "a2", refreshToken: "r2")) },
            store: MemoryStore(Credential(accessToken: "a1", refreshToken: "r1", expiresAt: 3600)),
            origins: [try Origin("https://api.example")], scheduler: scheduler,
            secondsSince1970: { scheduler.now.sinceStart / .seconds(1) })
        let client = HTTPClient(transport: api, scheduler: scheduler, interceptors: [interceptor])

        _ = client.get("https://api.example/").subscribe()
        scheduler.advanceTo(3700)
        _ = client.get("https://api.example/").subscribe()
        scheduler.start()
        XCTAssertEqual(api.requests.map(\.bearerToken), ["a1", "a2"])
    }

    func testARefusedRefreshRequiresALoginOnce() throws {
        let scheduler = TestScheduler(initialClock: 0, simulateProcessingDelay: false)
        let api = StubTransport(scheduler: scheduler)
        api.route { _ in ScriptedResponse(status: .unauthorized) }
        let identity = StubTransport(scheduler: scheduler)
        identity.route(
            .post, "/token", responses: .json(#"{"error":"invalid_grant"}"#, status: .badRequest).after(.seconds(1)))
        let secondsSince1970: @Sendable () -> Double = { scheduler.now.sinceStart / .seconds(1) }
        let interceptor = try authentication(
            refreshes: HTTPClient(transport: identity, scheduler: scheduler), secondsSince1970: secondsSince1970
        ) { authenticator in
            RefreshGate(
                store: MemoryStore(Credential(accessToken: "a1", refreshToken: "r1")),
                authenticator: authenticator, scheduler: scheduler, secondsSince1970: secondsSince1970)
        }
        let client = HTTPClient(transport: api, scheduler: scheduler, interceptors: [interceptor])

        let logins = scheduler.createObserver(LoginRequired.self)
        let watching = interceptor.gate.loginRequired.subscribe(logins)
        for _ in 0..<3 { _ = client.get("https://api.example/").subscribe(onFailure: { _ in }) }
        scheduler.start()
        XCTAssertEqual(logins.events, [.next(1, .refused)])
        XCTAssertEqual(identity.requestCount, 1)
        watching.dispose()
    }

    func testALoginWithAnIdentifierSharesItsRequests() throws {
        for (id, requests) in [(nil, 2), ("alice", 1)] {
            let scheduler = TestScheduler(initialClock: 0, simulateProcessingDelay: false)
            let api = StubTransport(scheduler: scheduler)
            api.route { _ in ScriptedResponse().after(.seconds(1)) }
            var credential = Credential(accessToken: "a1", refreshToken: "r1")
            credential.details.loginID = id
            let renewed = credential
            let interceptor = AuthenticationInterceptor(
                authenticator: ClosureAuthenticator { _ in .just(renewed) }, store: MemoryStore(credential),
                origins: [try Origin("https://api.example")], scheduler: scheduler)
            let client = HTTPClient(
                transport: api, scheduler: scheduler, layers: [Coalescing()], interceptors: [interceptor])
            for _ in 0..<2 { _ = client.get("https://api.example/").subscribe() }
            scheduler.start()
            XCTAssertEqual(api.requestCount, requests)
        }
    }

    func authentication(
        refreshes: HTTPClient, secondsSince1970: @escaping @Sendable () -> Double = WallClock.secondsSince1970,
        gate: (any Authenticator) -> RefreshGate
    ) throws -> AuthenticationInterceptor {
        let authenticator = try OAuthAuthenticator(
            tokenURL: RequestURL("https://id.example/token"), clientID: "app", client: refreshes,
            secondsSince1970: secondsSince1970)
        return AuthenticationInterceptor(
            gate: gate(authenticator), authenticator: authenticator, origins: [try Origin("https://api.example")])
    }

    private func live(_ runtime: FreshetRuntime, storedAt path: String) throws -> (HTTPClient, RefreshGate) {
        let interceptor = try authentication(refreshes: runtime.refreshClient) { authenticator in
            runtime.gate(store: runtime.fileStore(path), authenticator: authenticator)
        }
        let client = runtime.client.with(interceptors: [interceptor])
        return (client, interceptor.gate)
    }

    func testTheGateOfTheProgramEndsWithItsRuntime() async throws {
        let folder = NSTemporaryDirectory() + "freshet-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let runtime = try FreshetRuntime()
        let (client, gate) = try live(runtime, storedAt: folder + "/tokens.json")
        _ = try await gate.login(Credential(accessToken: "a1", refreshToken: "r1")).value
        await runtime.shutdown(gracePeriod: .seconds(10))
        var codes: [HTTPClientError.Code] = []
        for call in [gate.logout(), client.get("https://api.example/").map { _ in }] {
            do { try await call.value } catch let error as HTTPClientError { codes.append(error.code) }
        }
        XCTAssertEqual(codes, [.cancelled, .cancelled])
    }
}
