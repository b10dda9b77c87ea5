import FreshetCore
import FreshetHTTP
import XCTest

@testable import FreshetAuth

/// Tests a gate whose store returns another expiry with each read, as one does that converts it from the clock of a server.
final class RefreshGateInexactStoreTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    func testARefusalCountsIfTheReadsOfOneRecordDifferInTheirExpiry() throws {
        let bench = GateBench(store: InexactStore(pair(1, expiresAt: 5000)))
        for _ in 0..<50 { bench.respond(with: .error(RefreshRefusal("spent"))) }
        XCTAssertNotNil(try bench.result(bench.gate.credential())?.get())
        XCTAssertEqual(bench.failure(bench.gate.credential(replacing: 1))?.code, .loginRequired)
        XCTAssertEqual(bench.failure(bench.gate.credential())?.code, .loginRequired)
        XCTAssertEqual(bench.sentRefreshTokens, ["r1"])
        XCTAssertEqual(bench.announced, [.refused])
        XCTAssertEqual(try bench.result(bench.store.load())?.get().isRefused, true)
    }

    func testARejectedCredentialIsNotUsedAgainAfterARefusalThatIsNotRecorded() throws {
        let bench = GateBench(store: InexactStore(pair(1, expiresAt: 5000))) { $0.needsLogin = false }
        bench.respond(with: .error(RefreshRefusal("denied")))
        XCTAssertNotNil(try bench.result(bench.gate.credential())?.get())
        XCTAssertEqual(bench.failure(bench.gate.credential(replacing: 1))?.code, .loginRequired)
        XCTAssertEqual(try bench.result(bench.gate.credential())?.get().accessToken, "a2", "a1 is rejected")
        XCTAssertEqual(bench.sentRefreshTokens, ["r1", "r1"])
    }
}

private final class InexactStore: CredentialStore {
    private let base: MemoryStore
    private let reads = Locked(0)

    init(_ credential: Credential) { base = MemoryStore(credential) }

    func load() -> Single<StoredCredential> { base.load().map { self.inexact($0) } }
    func lock() -> Single<any CredentialLease> { base.lock().map { Lease(base: $0, store: self) } }

    private func inexact(_ record: StoredCredential) -> StoredCredential {
        let count = reads.withLock { reads in
            reads += 1
            return reads
        }
        var record = record
        if let end = record.credential?.expiresAt { record.credential?.expiresAt = end + Double(count) * 1e-5 }
        return record
    }

    private struct Lease: CredentialLease {
        let base: any CredentialLease
        let store: InexactStore

        func load() -> Single<StoredCredential> { base.load().map { store.inexact($0) } }
        func save(_ record: StoredCredential) -> Single<Void> { base.save(record) }
        func unlock() { base.unlock() }
    }
}
