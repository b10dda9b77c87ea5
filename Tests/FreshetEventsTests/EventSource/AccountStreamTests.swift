import FreshetAuth
import FreshetCore
import FreshetEvents
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

/// Tests event streams of one of several accounts.
final class AccountStreamTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    /// A store that outlives its gate, as a file does.
    private struct OuterStore: CredentialStore {
        let memory: MemoryStore

        func load() -> Single<StoredCredential> { memory.load() }
        func lock() -> Single<any CredentialLease> { memory.lock() }
    }

    func testALogoutReachesAStreamThatWaitsForItsReconnectionAmongManyAccounts() throws {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let api = StubTransport(scheduler: scheduler)
        api.route { _ in
            ScriptedResponse(headers: [.contentType: "text/event-stream"], body: "retry: 5000\nid: 1\ndata: x\n\n")
        }
        let stores = Locked<[CredentialKey: MemoryStore]>([:])
        let accounts = AccountInterceptor(maximumCount: 1) { key in
            let memory = stores.withLock { stores in
                let store = stores[key] ?? MemoryStore(Credential(accessToken: key.account))
                stores[key] = store
                return store
            }
            return AuthenticationInterceptor(
                authenticator: ClosureAuthenticator { _ in .never() }, store: OuterStore(memory: memory),
                origins: [try Origin("https://api.example")], scheduler: scheduler)
        }
        let anna = CredentialKey(account: "anna")
        var request = try Request(.get, "https://api.example/events")
        request.tags[CredentialKey.self] = anna
        let client = HTTPClient(transport: api, scheduler: scheduler, interceptors: [accounts])
        let recorder = StreamRecorder(of: EventSource(request, by: client))
        scheduler.advanceTo(1000)
        XCTAssertEqual(recorder.reasons, ["ended"])
        for number in 1...10 { _ = try accounts.gate(for: CredentialKey(account: "\(number)")) }
        _ = try accounts.gate(for: anna).logout().subscribe { _ in }
        scheduler.advanceTo(2000)
        _ = try accounts.gate(for: anna).login(Credential(accessToken: "next")).subscribe { _ in }
        scheduler.advanceTo(20_000)
        XCTAssertEqual(recorder.code, .loginRequired)
        XCTAssertEqual(api.requests.map(\.bearerToken), ["anna"])
        // The stream has ended, and its subscription is still there.
        for number in 11...20 { _ = try accounts.gate(for: CredentialKey(account: "\(number)")) }
        XCTAssertFalse(accounts.keys.contains(anna))
        recorder.dispose()
        scheduler.start()
    }
}
