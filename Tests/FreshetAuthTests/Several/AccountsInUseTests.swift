import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

@testable import FreshetAuth

/// Tests that a key with requests stays in the table of accounts, also while they wait.
final class AccountsInUseTests: XCTestCase {
    private var resources = 0
    private let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    private func key(_ number: Int) -> CredentialKey { CredentialKey(account: "\(number)") }

    /// Returns an interceptor whose stores outlive their gates. They begin with the name of the account as the access token, and
    /// each refresh appends a `+`.
    private func accounts(
        maximumCount: Int, origin: String = "https://api.example", defaultKey: CredentialKey? = nil
    ) -> AccountInterceptor {
        let stores = Locked<[CredentialKey: SlowStore]>([:])
        return AccountInterceptor(defaultKey: defaultKey, maximumCount: maximumCount) { [scheduler] key in
            let store = stores.withLock { stores in
                let store = stores[key] ?? SlowStore(Credential(accessToken: key.account), on: scheduler)
                stores[key] = store
                return store
            }
            return AuthenticationInterceptor(
                authenticator: ClosureAuthenticator { .just(Credential(accessToken: ($0?.accessToken ?? "") + "+")) },
                store: store, origins: [try Origin(origin)], scheduler: scheduler)
        }
    }

    private func request(_ key: CredentialKey?) throws -> Request {
        var request = try Request(.get, "https://api.example/")
        request.tags[CredentialKey.self] = key
        return request
    }

    private func send(_ key: CredentialKey?, by client: HTTPClient) throws -> (Ending<Response>, any Disposable) {
        let ending = Ending<Response>()
        return (ending, client.send(try request(key)).subscribe { ending.set($0) })
    }

    /// Uses other keys until `maximumCount` has dropped those that are not in use.
    private func useOthers(_ accounts: AccountInterceptor) throws {
        for number in 100..<120 { _ = try accounts.gate(for: key(number)) }
    }

    func testEachOfManyAccountsThatAskAtTheSameTimeIsRefreshed() throws {
        let api = StubTransport(scheduler: scheduler)
        api.route { request in
            let isFresh = request.bearerToken?.hasSuffix("+") == true
            return ScriptedResponse(status: isFresh ? .ok : .unauthorized).after(.seconds(1))
        }
        let accounts = accounts(maximumCount: 5)
        for layers in [[], [HeldRequests(scheduler: scheduler)]] as [[any TransportLayer]] {
            let client = HTTPClient(
                transport: api, scheduler: scheduler, layers: layers, interceptors: [SlowDecision(scheduler), accounts])
            let first = layers.count * 20
            let endings = try (first..<first + 20).map { try send(key($0), by: client).0 }
            XCTAssertGreaterThanOrEqual(accounts.keys.count, 20)
            scheduler.start()
            for ending in endings { XCTAssertEqual(try ending.value?.get().status, .ok) }
        }
        try useOthers(accounts)
        XCTAssertLessThanOrEqual(accounts.keys.count, 5)
    }

    func testTheTableReturnsToItsMaximumWhenUsedKeysAreUsedAgain() throws {
        let api = StubTransport(scheduler: scheduler)
        api.route { _ in ScriptedResponse() }
        let accounts = accounts(maximumCount: 4)
        let client = HTTPClient(transport: api, scheduler: scheduler, interceptors: [accounts])
        for number in 1...40 { _ = try send(key(number), by: client) }
        scheduler.start()
        XCTAssertEqual(accounts.keys.count, 40)
        for _ in 1...20 { _ = try accounts.gate(for: key(40)) }
        XCTAssertLessThanOrEqual(accounts.keys.count, 4)
        XCTAssertTrue(accounts.keys.contains(key(40)))
    }

    func testALogoutReachesARequestThatWaitsForItsNextAttempt() throws {
        for isFirst in [true, false] {
            let api = StubTransport(scheduler: scheduler)
            api.route { _ in ScriptedResponse(status: .serviceUnavailable) }
            let accounts = accounts(maximumCount: 1)
            let interceptors: [any RequestInterceptor] = [accounts, LateRetry(after: .seconds(10))]
            let client = HTTPClient(
                transport: api, scheduler: scheduler, interceptors: isFirst ? interceptors : interceptors.reversed())
            let (ending, _) = try send(key(1), by: client)
            scheduler.advanceTo(scheduler.clock + 1000)
            XCTAssertEqual(api.requestCount, 1)
            try useOthers(accounts)
            _ = try accounts.gate(for: key(1)).logout().subscribe { _ in }
            scheduler.advanceTo(scheduler.clock + 1000)
            _ = try accounts.gate(for: key(1)).login(pair(1)).subscribe { _ in }
            scheduler.start()
            XCTAssertEqual(ending.error?.code, .loginRequired)
            XCTAssertEqual(api.requestCount, 1)
        }
    }

    func testTheKeysOfEachOfTwoInterceptorsAreInUse() throws {
        let api = StubTransport(scheduler: scheduler)
        api.route { _ in ScriptedResponse() }
        let all = [accounts(maximumCount: 1, origin: "https://other.example"), accounts(maximumCount: 1)]
        let client = HTTPClient(transport: api, scheduler: scheduler, interceptors: all)
            .with(layers: [HeldRequests(scheduler: scheduler)])
        let gates = try all.map { try $0.gate(for: key(1)) }
        _ = try send(key(1), by: client)
        for accounts in all { try useOthers(accounts) }
        for (accounts, gate) in zip(all, gates) { XCTAssertTrue(try accounts.gate(for: key(1)) === gate) }
        scheduler.start()
        for accounts in all {
            try useOthers(accounts)
            XCTAssertFalse(accounts.keys.contains(key(1)))
        }
    }

    func testAKeyThatAnAdapterSetsIsInUseBetweenTwoAttempts() throws {
        let api = StubTransport(scheduler: scheduler)
        api.enqueue(ScriptedResponse(status: .serviceUnavailable), ScriptedResponse())
        let accounts = accounts(maximumCount: 1, defaultKey: key(2))
        let client = HTTPClient(
            transport: api, scheduler: scheduler,
            interceptors: [KeySetter(key: key(1)), accounts, LateRetry(after: .seconds(10))])
        let (ending, _) = try send(nil, by: client)
        scheduler.advanceTo(1000)
        try useOthers(accounts)
        XCTAssertTrue(accounts.keys.contains(key(1)))
        scheduler.start()
        XCTAssertEqual(try ending.value?.get().status, .ok)
        XCTAssertEqual(api.requests.map(\.bearerToken), ["1", "1"])
    }

    /// A `DisposeBag` keeps the subscriptions of requests that have ended.
    func testARequestThatHasEndedDoesNotUseItsKeyWhileItsSubscriptionIsKept() throws {
        let api = StubTransport(scheduler: scheduler)
        api.route { $0.bearerToken == "1" ? .failure(.connectionLost, in: .waiting) : ScriptedResponse() }
        let accounts = accounts(maximumCount: 1)
        let client = HTTPClient(transport: api, scheduler: scheduler, interceptors: [accounts])
        let bag = DisposeBag()
        for number in 1...3 {
            let (ending, subscription) = try send(key(number), by: client)
            subscription.disposed(by: bag)
            client.events(try request(key(number))).subscribe { _ in }.disposed(by: bag)
            scheduler.start()
            XCTAssertNotNil(ending.value)
        }
        try useOthers(accounts)
        XCTAssertEqual(accounts.keys.intersection((1...3).map(key)), [])
    }
}

private struct SlowDecision: RequestInterceptor {
    let scheduler: TestScheduler

    init(_ scheduler: TestScheduler) { self.scheduler = scheduler }

    func retry(_ attempt: Attempt) -> Single<RetryResult> {
        Single.just(.doNotRetry).delay(.seconds(1), scheduler: scheduler)
    }
}

private struct KeySetter: RequestInterceptor {
    let key: CredentialKey

    func adapt(_ request: inout Request) -> Adaptation {
        request.tags[CredentialKey.self] = key
        return .ready
    }
}
