import FreshetCore
import FreshetHTTP
import FreshetTesting
import HTTPTypes
import XCTest

@testable import FreshetAuth

/// Tests refreshing in the background and on demand, on virtual time.
final class RefreshGateAheadTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    /// A gate whose credential lives for an hour. Its advisory window begins at 2910 s.
    private func hour(_ configure: (inout RefreshGate.Settings) -> Void = { _ in }) -> GateBench {
        GateBench(store: MemoryStore(pair(1, expiresAt: 4600))) { settings in
            settings.random = { 0.5 }
            configure(&settings)
        }
    }

    func testRequestsUseTheOldCredentialWhileANewOneIsFetchedInTheBackground() throws {
        let bench = hour()
        XCTAssertEqual(try bench.result(bench.gate.credential())?.get().accessToken, "a1")
        let responses = Locked<[String]>([])
        for time in [2_909_000, 2_911_000, 2_911_500, 2_912_500] {
            bench.scheduler.scheduleAt(time) {
                _ = bench.gate.credential().subscribe(onSuccess: { got in
                    responses.withLock { $0.append(got.accessToken) }
                })
            }
        }
        bench.run()
        XCTAssertEqual(responses.withLock { $0 }, ["a1", "a1", "a1", "a2"])
        XCTAssertEqual(bench.sentRefreshTokens, ["r1"])
        XCTAssertEqual(bench.events.withLock { $0.map(\.cause) }, [.ahead])
        XCTAssertEqual(bench.events.withLock { $0.map(\.duration) }, [.seconds(1)])
    }

    /// Without a refresh token nothing is asked before the end, and another gate of the store can use the access token too.
    func testATokenThatCannotBeRefreshedServesEachGateOfItsStoreUntilItEnds() throws {
        let bench = GateBench(store: MemoryStore(Credential(accessToken: "a1", expiresAt: 4600)))
        let refusal = Single<Credential>.error(RefreshRefusal("there is no refresh token"))
        bench.respond(with: refusal, refusal, refusal)
        XCTAssertEqual(try bench.result(bench.gate.credential())?.get().accessToken, "a1")
        for second in [3500, 3590] {
            bench.scheduler.advanceTo(second * 1000)
            for gate in [bench.gate!, bench.makeGate()] {
                XCTAssertEqual(try bench.result(gate.credential())?.get().accessToken, "a1", "after \(second) s")
            }
        }
        XCTAssertEqual(try bench.result(bench.store.load())?.get().isRefused, false)
        bench.scheduler.advanceTo(3_600_000)
        bench.respond(with: refusal)
        XCTAssertEqual(bench.failure(bench.gate.credential())?.code, .loginRequired)
        XCTAssertEqual(try bench.result(bench.store.load())?.get().isRefused, true)
    }

    func testAHangingEndpointDelaysNoRequestWithAValidCredential() throws {
        let bench = hour()
        XCTAssertNotNil(try bench.result(bench.gate.credential())?.get())
        for _ in 0..<100 { bench.respond(with: .never()) }
        let late = Locked<[Int]>([])
        for second in 2900..<3599 {
            bench.scheduler.scheduleAt(second * 1000) {
                _ = bench.gate.credential().subscribe(onSuccess: { _ in
                    if bench.scheduler.clock != second * 1000 { late.withLock { $0.append(second) } }
                })
            }
        }
        bench.run()
        XCTAssertEqual(late.withLock { $0 }, [])
        XCTAssertEqual(bench.sentRefreshTokens.count, 2, "five minutes apart")
        bench.scheduler.advanceTo(3_600_000)
        XCTAssertEqual(bench.failure(bench.gate.credential())?.code, .refreshFailed, "it has ended")
    }

    func testAForcedRefreshDoesNotJoinOneThatStartedEarlier() throws {
        let bench = GateBench()
        let ordinary = Ending<Credential>()
        _ = bench.gate.credential(replacing: 1).subscribe { ordinary.set($0) }
        bench.scheduler.advanceTo(500)
        let forced = (0..<3).map { _ in Ending<Credential>() }
        for ending in forced { _ = bench.gate.refreshNow().subscribe { ending.set($0) } }
        let left = bench.gate.refreshNow().subscribe { _ in XCTFail("it had left") }
        left.dispose()
        bench.run()
        XCTAssertEqual(try ordinary.value?.get().accessToken, "a2")
        for ending in forced { XCTAssertEqual(try ending.value?.get().accessToken, "a3") }
        XCTAssertEqual(bench.sentRefreshTokens, ["r1", "r2"], "one for all who asked")
        XCTAssertEqual(bench.events.withLock { $0.map(\.cause) }, [.rejected, .forced])
    }

    func testAFailedForcedRefreshLeavesTheOthersTheirCredential() throws {
        let bench = hour()
        XCTAssertNotNil(try bench.result(bench.gate.credential())?.get())
        bench.respond(with: after(1, on: bench.scheduler, .failure(Trouble())))
        let forced = Ending<Credential>()
        _ = bench.gate.refreshNow().subscribe { forced.set($0) }
        XCTAssertEqual(try bench.result(bench.gate.credential())?.get().accessToken, "a1")
        XCTAssertEqual(forced.error?.code, .refreshFailed)
    }

    // Failure 10: the gate reads the store again before a refusal counts.
    func testACredentialThatAnotherProcessStoredWithoutTheLockIsAdopted() throws {
        let store = OpenStore(pair(1))
        let bench = GateBench(store: store)
        bench.respond(with: after(1, on: bench.scheduler, .failure(RefreshRefusal("spent"))))
        let waiting = Ending<Credential>()
        _ = bench.gate.credential(replacing: 1).subscribe { waiting.set($0) }
        bench.scheduler.advanceTo(500)
        store.overwrite(stored(2))
        bench.run()
        XCTAssertEqual(try waiting.value?.get().accessToken, "a2")
        XCTAssertEqual(bench.outcomes, [.adopted])
        XCTAssertEqual(bench.announced, [])
        XCTAssertEqual(try bench.result(store.load())?.get(), stored(2))
    }

    func testRetryAfterOfTheEndpointIsRespected() throws {
        let bench = GateBench()
        let response = Response(
            head: .init(status: .init(code: 503), headerFields: [.retryAfter: "90"]),
            url: try RequestURL("https://id.example.com/"))
        bench.respond(
            with: .error(HTTPClientError(.status, phase: .receiving, message: "busy", response: response)))
        XCTAssertEqual(bench.failure(bench.gate.credential(replacing: 1))?.code, .refreshFailed)
        bench.scheduler.advanceTo(80_000)
        let error = bench.failure(bench.gate.credential())
        XCTAssertEqual(error?.code, .refreshFailed)
        XCTAssertEqual(error?.recoverySuggestion, "try again in 10 s")
        XCTAssertEqual(bench.sentRefreshTokens.count, 1)
        bench.scheduler.advanceTo(90_001)
        XCTAssertEqual(try bench.result(bench.gate.credential())?.get().accessToken, "a2")
    }
}

/// A store that any program can write to without its lock.
private final class OpenStore: CredentialStore {
    private let record: Locked<StoredCredential>

    init(_ credential: Credential) { record = Locked(StoredCredential(credential: credential, version: 1)) }

    func overwrite(_ record: StoredCredential) { self.record.withLock { $0 = record } }
    func load() -> Single<StoredCredential> { .just(record.withLock { $0 }) }
    func lock() -> Single<any CredentialLease> { .just(Lease(store: self)) }

    private struct Lease: CredentialLease {
        let store: OpenStore
        func load() -> Single<StoredCredential> { store.load() }
        func save(_ record: StoredCredential) -> Single<Void> {
            store.overwrite(record)
            return .just(())
        }
        func unlock() {}
    }
}
