import Dispatch
import Freshet
import XCTest

@testable import freshet_cli

/// Tests what a command says at its end about a credential that it has refreshed.
final class SettledGateTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    private struct FullStore: CredentialStore {
        let memory: MemoryStore

        struct Lease: CredentialLease {
            let lease: any CredentialLease

            func load() -> Single<StoredCredential> { lease.load() }
            func save(_ record: StoredCredential) -> Single<Void> { .error(StoreError("the disk is full; make room")) }
            func unlock() { lease.unlock() }
        }

        func load() -> Single<StoredCredential> { memory.load() }
        func lock() -> Single<any CredentialLease> { memory.lock().map { Lease(lease: $0) } }
    }

    /// Returns the notes after a forced refresh. The old credential still works, so the command itself has succeeded.
    private func notes(with store: any CredentialStore) throws -> [String] {
        let loop = try Loop(name: "test")
        defer { loop.shutdown() }
        let gate = RefreshGate(store: store, scheduler: BlockingScheduler(on: loop)) { _ in
            .just(Credential(accessToken: "a2", refreshToken: "r2"))
        }
        let ended = DispatchSemaphore(value: 0)
        _ = gate.refreshNow().subscribe { _ in ended.signal() }
        XCTAssertEqual(ended.wait(timeout: .now() + 20), .success)
        var notes: [String] = []
        LiveClient.wait(for: gate) { notes.append($0) }
        return notes
    }

    func testARefreshedCredentialThatCannotBeStoredIsReported() throws {
        let memory = MemoryStore(Credential(accessToken: "a1", refreshToken: "r1"))
        let note = try XCTUnwrap(notes(with: FullStore(memory: memory)).last)
        XCTAssertTrue(note.hasPrefix("note: the refreshed credential is lost"), note)
        XCTAssertTrue(note.contains("the disk is full; make room"), note)
    }

    func testTheCommandWaitsForARefreshAsLongAsItMayTake() throws {
        let loop = try Loop(name: "test")
        defer { loop.shutdown() }
        let refreshed = PublishSubject<Credential>()
        let begun = DispatchSemaphore(value: 0)
        var settings = RefreshGate.Settings()
        settings.deadline = .milliseconds(300)
        let gate = RefreshGate(
            store: MemoryStore(Credential(accessToken: "a1", refreshToken: "r1")),
            scheduler: BlockingScheduler(on: loop), settings: settings
        ) { _ in refreshed.asSingle().do(onSubscribed: { begun.signal() }) }
        let refreshing = gate.refreshNow().subscribe { _ in }
        XCTAssertEqual(begun.wait(timeout: .now() + 20), .success)
        var notes: [String] = []
        LiveClient.wait(for: gate) { notes.append($0) }
        XCTAssertEqual(notes.count, 2)
        XCTAssertTrue(notes.last?.contains("the refresh has not ended") == true, "\(notes)")
        refreshed.onNext(Credential(accessToken: "a2", refreshToken: "r2"))
        refreshed.onCompleted()
        LiveClient.wait(for: gate) { notes.append($0) }
        refreshing.dispose()
        XCTAssertEqual(notes.count, 2)
    }

    func testARefreshedCredentialThatIsStoredIsNotReported() throws {
        let store = MemoryStore(Credential(accessToken: "a1", refreshToken: "r1"))
        XCTAssertEqual(try notes(with: store).filter { $0.contains("lost, so") }, [])
    }
}
