import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

@testable import FreshetAuth

/// Tests that a credential that is bound to a key is never sent or refreshed without a proof of possession.
final class BoundCredentialTests: XCTestCase {
    private var resources = 0
    private let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    private var bound: Credential {
        var credential = Credential(accessToken: "a", refreshToken: "r")
        credential.details.proofKey = "key"
        return credential
    }

    private func oauth(_ identity: StubTransport) throws -> OAuthAuthenticator {
        try OAuthAuthenticator(
            tokenURL: RequestURL("https://id.example/token"), clientID: "c",
            client: HTTPClient(transport: identity, scheduler: scheduler))
    }

    private func gate(
        _ authenticator: any Authenticator, _ store: MemoryStore,
        _ change: (inout RefreshGate.Settings) -> Void = { _ in }
    ) -> RefreshGate {
        var settings = RefreshGate.Settings()
        change(&settings)
        return RefreshGate(store: store, authenticator: authenticator, scheduler: scheduler, settings: settings)
    }

    private func result<Value>(_ single: Single<Value>) -> Result<Value, any Error>? {
        let ending = Ending<Value>()
        let subscription = single.subscribe { ending.set($0) }
        scheduler.advanceBy(5000)
        subscription.dispose()
        return ending.value
    }

    private func failure<Value>(_ single: Single<Value>) -> HTTPClientError? {
        guard case .failure(let error)? = result(single) else { return nil }
        return error as? HTTPClientError
    }

    private func stored(_ store: MemoryStore) throws -> StoredCredential {
        try XCTUnwrap(result(store.load())).get()
    }

    func testARequestWithoutAProofFailsBeforeAnythingIsSent() throws {
        let identity = StubTransport(scheduler: scheduler)
        for authenticator: any Authenticator in [
            try oauth(identity), ClosureAuthenticator { _ in .just(Credential(accessToken: "new")) },
        ] {
            let (api, store) = (StubTransport(scheduler: scheduler), MemoryStore(bound))
            let gate = gate(authenticator, store)
            let interceptor = AuthenticationInterceptor(
                gate: gate, authenticator: authenticator, origins: [try Origin("https://api.example")])
            let client = HTTPClient(transport: api, scheduler: scheduler, interceptors: [interceptor])
            let before = try stored(store)
            for _ in 0..<2 {
                let error = try XCTUnwrap(failure(client.get("https://api.example/")))
                XCTAssertEqual(error.code, .store)
                XCTAssertEqual(error.recoverySuggestion, .provePossession)
                XCTAssertTrue(error.message.contains("is bound to a key"), "\(error)")
            }
            XCTAssertEqual(failure(gate.refreshNow())?.code, .store)
            XCTAssertEqual(api.requestCount + identity.requestCount, 0)
            XCTAssertEqual(try stored(store), before)
        }
    }

    func testARequestWithAProofIsSent() throws {
        var authenticator = try oauth(StubTransport(scheduler: scheduler))
        authenticator.proofOfPossession = FixedProof()
        let gate = gate(authenticator, MemoryStore(bound))
        XCTAssertEqual(try result(gate.credential())?.get().accessToken, "a")
    }

    func testALoginReplacesABoundCredentialAndALoginIfNeededKeepsIt() throws {
        let store = MemoryStore(bound)
        let gate = gate(try oauth(StubTransport(scheduler: scheduler)), store)
        XCTAssertEqual(failure(gate.loginIfNeeded(Credential(accessToken: "b")))?.recoverySuggestion, .provePossession)
        XCTAssertEqual(try stored(store).credential?.accessToken, "a")
        XCTAssertEqual(try result(gate.login(Credential(accessToken: "b")))?.get().accessToken, "b")
        XCTAssertEqual(try result(gate.credential())?.get().accessToken, "b")
    }

    func testALogoutRevokesABoundCredential() throws {
        let store = MemoryStore(bound)
        let revoked = Locked<[String]>([])
        let gate = gate(Revoking { token in revoked.withLock { $0.append(token) } }, store)
        XCTAssertNoThrow(try result(gate.logout())?.get())
        XCTAssertNil(try stored(store).credential)
        XCTAssertEqual(revoked.withLock { $0 }, ["a"])
    }

    func testARequestThatWaitsForALoginFailsAtALoginWithAKey() throws {
        let store = MemoryStore()
        let authenticator = try oauth(StubTransport(scheduler: scheduler))
        let waiting = gate(authenticator, store) { $0.whenLoginIsRequired = .wait }
        let api = StubTransport(scheduler: scheduler)
        let client = HTTPClient(
            transport: api, scheduler: scheduler,
            interceptors: [
                AuthenticationInterceptor(
                    gate: waiting, authenticator: authenticator, origins: [try Origin("https://api.example")])
            ])
        let ending = Ending<Response>()
        let subscription = client.get("https://api.example/").subscribe { ending.set($0) }
        scheduler.advanceBy(1500)
        XCTAssertNil(ending.value)
        let other = RefreshGate(store: store, scheduler: scheduler) { _ in .never() }
        _ = result(other.login(bound))
        guard case .failure(let error as HTTPClientError)? = ending.value else { return XCTFail("no failure") }
        XCTAssertEqual(error.recoverySuggestion, .provePossession)
        XCTAssertEqual(api.requestCount, 0)
        subscription.dispose()
    }
}

private struct Revoking: Authenticator {
    let record: @Sendable (String) -> Void

    func refresh(_ credential: Credential?) -> Single<Credential> { .never() }
    func canApply(_ credential: Credential) -> Bool { credential.details.proofKey == nil }

    func revoke(_ credential: Credential) -> Completable {
        record(credential.accessToken)
        return .empty()
    }
}

private struct FixedProof: ProofOfPossession {
    func newKey() -> String { "key" }
    func prove(_ request: inout Request, key: String, accessToken: String?) {}
    func isDemanded(by response: Response) -> Bool { false }
    func received(_ head: HTTPResponse, from origin: Origin, isTokenEndpoint: Bool) {}
}
