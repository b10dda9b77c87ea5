import FreshetCore
import FreshetHTTP
import HTTPTypes
import XCTest

@testable import FreshetAuth

/// Tests that a refresh that fails is reported, whatever it fails at.
final class RefreshEventTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    private let full = StoreError("disk full")

    func testARefreshThatCannotLockOrReadTheStoreIsReported() throws {
        for store in [
            FailingStore(pair(1, expiresAt: 900), locking: .error(full)),
            FailingStore(pair(1, expiresAt: 900), reading: .error(full)),
        ] {
            let bench = GateBench(store: store)
            XCTAssertThrowsError(try bench.result(bench.gate.credential())?.get())
            XCTAssertEqual(bench.outcomes, [.store])
        }
    }

    func testABackgroundRefreshThatCannotLockTheStoreIsReported() throws {
        let bench = GateBench(store: FailingStore(pair(1, expiresAt: 4600), locking: .error(full)))
        XCTAssertNotNil(try bench.result(bench.gate.credential())?.get())
        XCTAssertEqual(bench.outcomes, [], "it is fresh")
        bench.scheduler.advanceTo(3_400_000)
        XCTAssertNotNil(try bench.result(bench.gate.credential())?.get())
        XCTAssertEqual(bench.outcomes, [.store])
        XCTAssertEqual(bench.events.withLock { $0.map(\.cause) }, [.ahead])
        XCTAssertEqual(bench.events.withLock { $0.map(\.generation) }, [1])
    }

    func testARefreshThatWaitsForTheLockUntilItsDeadlineIsReported() {
        let bench = GateBench(store: FailingStore(pair(1, expiresAt: 900), locking: .never()))
        XCTAssertThrowsError(try bench.result(bench.gate.credential())?.get())
        XCTAssertEqual(bench.outcomes, [.failed])
    }

    /// No request fails with a background refresh, so nothing else says why it failed.
    func testTheEventOfAFailedBackgroundRefreshSaysWhy() throws {
        let bench = GateBench(store: MemoryStore(pair(1, expiresAt: 4600)))
        let response = Response(
            head: HTTPResponse(status: .ok, headerFields: [.contentType: "text/html"]), body: Array("s3cret".utf8),
            url: try RequestURL("https://id.example/token"))
        var error = HTTPClientError(.decoding, phase: .receiving, message: "no JSON")
        error.response = response
        bench.respond(with: .error(error))
        XCTAssertNotNil(try bench.result(bench.gate.credential())?.get())
        bench.scheduler.advanceTo(3_400_000)
        XCTAssertNotNil(try bench.result(bench.gate.credential())?.get())
        let event = try XCTUnwrap(bench.events.withLock { $0.first })
        XCTAssertEqual(event.outcome, .failed)
        XCTAssertEqual(event.error?.code, .refreshFailed)
        XCTAssertTrue(event.error?.message.contains("no JSON") ?? false, "\(event)")
        XCTAssertFalse("\(event)".contains("s3cret"), "\(event)")
    }

    func testTheErrorOfARefreshThatTheShutdownEndedSaysNothingAboutAnotherClient() throws {
        let bench = GateBench(store: MemoryStore(pair(1, expiresAt: 900)))
        bench.respond(
            with: .error(
                HTTPClientError(
                    .cancelled, phase: .queued, message: "the transport was shut down",
                    recoverySuggestion: "send the request with another")))
        XCTAssertThrowsError(try bench.result(bench.gate.credential())?.get()) { error in
            XCTAssertEqual((error as? HTTPClientError)?.recoverySuggestion, .tryAgainLater)
        }
    }

    func testTheErrorOfAnyStoreSaysWhatToDo() throws {
        struct OwnError: Error {}
        let timeout = HTTPClientError(.timeout, phase: .storing, message: "it is slow", recoverySuggestion: .tryAgain)
        let errors: [(any Error, String)] = [(OwnError(), "underlying"), (timeout, "try again"), (full, "")]
        for (error, expected) in errors {
            let bench = GateBench(store: FailingStore(pair(1, expiresAt: 900), locking: .error(error)))
            XCTAssertThrowsError(try bench.result(bench.gate.login(pair(2)))?.get()) { failure in
                let suggestion = (failure as? HTTPClientError)?.recoverySuggestion?.description ?? ""
                XCTAssertTrue(expected.isEmpty ? suggestion.isEmpty : suggestion.contains(expected), suggestion)
            }
        }
    }

    func testTheEventOfARefreshHasTheErrorOfItsWaitersOrNone() throws {
        let bench = GateBench(store: FailingStore(pair(1, expiresAt: 900), locking: .error(full)))
        XCTAssertThrowsError(try bench.result(bench.gate.credential())?.get()) { error in
            let reported = bench.events.withLock { $0.first?.error }
            XCTAssertEqual(reported?.description, (error as? HTTPClientError)?.description)
        }
        let working = GateBench(store: MemoryStore(pair(1, expiresAt: 900)))
        XCTAssertNotNil(try working.result(working.gate.credential())?.get())
        XCTAssertEqual(working.outcomes, [.refreshed])
        XCTAssertNil(working.events.withLock { $0.first?.error })
    }
}

/// A store in memory that can be read without its lock.
private final class FailingStore: CredentialStore {
    private let inner: MemoryStore
    private let locking: Single<any CredentialLease>?
    private let reading: Single<StoredCredential>?

    /// - Parameters:
    ///   - locking: what happens instead of locking.
    ///   - reading: what happens instead of reading under the lock.
    init(
        _ credential: Credential, locking: Single<any CredentialLease>? = nil,
        reading: Single<StoredCredential>? = nil
    ) {
        inner = MemoryStore(credential)
        self.locking = locking
        self.reading = reading
    }

    func load() -> Single<StoredCredential> { inner.load() }

    func lock() -> Single<any CredentialLease> {
        locking ?? inner.lock().map { [reading] in UnreadableLease(inner: $0, reading: reading) }
    }
}

private struct UnreadableLease: CredentialLease {
    let inner: any CredentialLease
    let reading: Single<StoredCredential>?

    func load() -> Single<StoredCredential> { reading ?? inner.load() }
    func save(_ record: StoredCredential) -> Single<Void> { inner.save(record) }
    func unlock() { inner.unlock() }
}
