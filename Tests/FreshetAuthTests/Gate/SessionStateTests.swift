import FreshetCore
import FreshetHTTP
import XCTest

@testable import FreshetAuth

final class SessionStateTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    func testAWorkingPairIsSignedInWithoutARefresh() throws {
        let bench = GateBench()
        XCTAssertEqual(try bench.result(bench.gate.session())?.get(), .signedIn)
        XCTAssertEqual(try bench.result(bench.gate.session { _ in .just(()) })?.get(), .signedIn)
        XCTAssertEqual(bench.sentRefreshTokens, [])
    }

    func testAnExpiredPairIsRefreshed() throws {
        let expired = GateBench(store: MemoryStore(pair(1, expiresAt: 10)))
        XCTAssertEqual(try expired.result(expired.gate.session())?.get(), .refreshed)
        let refused = GateBench()
        let state = try refused.result(
            refused.gate.session { $0.generation == 1 ? .error(Expired()) : .just(()) })?.get()
        XCTAssertEqual(state, .refreshed)
    }

    func testAPairThatCannotBeRefreshedNowIsKept() throws {
        let bench = GateBench(store: MemoryStore(pair(1, expiresAt: 10)))
        bench.respond(with: .error(Trouble()))
        XCTAssertEqual(try bench.result(bench.gate.session())?.get(), .refreshable)
        XCTAssertEqual(bench.announced, [])
    }

    func testARefusalAndAnEmptyStoreRequireALogin() throws {
        let refused = GateBench(store: MemoryStore(pair(1, expiresAt: 10)))
        refused.respond(with: .error(RefreshRefusal("spent")))
        XCTAssertEqual(try refused.result(refused.gate.session())?.get(), .loginRequired)
        let empty = GateBench(store: MemoryStore())
        empty.respond(with: .error(RefreshRefusal("there is no refresh token")))
        XCTAssertEqual(try empty.result(empty.gate.session())?.get(), .loginRequired)
        XCTAssertEqual(empty.announced, [.noCredential])
        XCTAssertEqual(refused.outcomes, [.refused])
        XCTAssertEqual(empty.events.withLock { $0.map(\.outcome.rawValue) }, ["noCredential"])
    }

    func testTheRequestAfterAStateOfLoginRequiredAnnouncesItAgain() throws {
        let bench = GateBench(store: MemoryStore())
        bench.respond(with: .error(RefreshRefusal("none")), .error(RefreshRefusal("none")))
        XCTAssertEqual(try bench.result(bench.gate.session())?.get(), .loginRequired)
        XCTAssertEqual(bench.failure(bench.gate.credential())?.code, .loginRequired)
        XCTAssertEqual(bench.failure(bench.gate.credential())?.code, .loginRequired)
        XCTAssertEqual(bench.announced, [.noCredential, .noCredential], "at the state, and once at a request")
    }

    func testAFailingStoreEndsInAnErrorWithoutARetry() {
        let bench = GateBench(store: FailingStore())
        XCTAssertEqual(bench.failure(bench.gate.session())?.code, .store)
        let readOnly = GateBench(store: FailingStore(record: stored(1, expiresAt: 10)))
        XCTAssertEqual(readOnly.failure(readOnly.gate.session())?.code, .store)
        XCTAssertEqual(readOnly.sentRefreshTokens, ["r1"])
    }

    func testAnotherErrorOfTheProbeIsDelivered() {
        let bench = GateBench()
        guard case .failure(let error)? = bench.result(bench.gate.session { _ in .error(Trouble()) }) else {
            return XCTFail("no failure")
        }
        XCTAssertTrue(error is Trouble)
    }
}

/// A store that fails to write, and fails to read unless it has a record.
private struct FailingStore: CredentialStore, CredentialLease {
    var record: StoredCredential?

    func load() -> Single<StoredCredential> { record.map { .just($0) } ?? .error(StoreError("unreadable")) }
    func lock() -> Single<any CredentialLease> { .just(self) }
    func save(_ record: StoredCredential) -> Single<Void> { .error(StoreError("full")) }
    func unlock() {}
}
