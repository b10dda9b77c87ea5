import FreshetAuth
import FreshetCore
import FreshetStoreTesting
import FreshetTesting
import XCTest

/// Tests that stores with an error do not conform.
final class WrongStoreTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    private func failures(_ save: @escaping WrongLease.Save) -> [String] {
        conformanceFailures { WrongFixture(save) }
    }

    func testAStoreThatWritesInTwoStepsDoesNotConform() {
        let failures = failures { record, lease, clock in
            var torn = record
            torn.credential = record.credential.map { Credential(accessToken: $0.accessToken) }
            return lease.save(torn).flatMap {
                Observable<Int>.timer(.milliseconds(10), scheduler: clock).take(1).asSingle().flatMap { _ in
                    lease.save(record)
                }
            }
        }
        XCTAssertTrue(failures.contains { $0.hasPrefix("a reader never sees a part of a save: ") }, "\(failures)")
    }

    func testAStoreThatDropsForeignMembersDoesNotConform() {
        let failures = failures { record, lease, _ in
            var record = record
            record.foreignMembers = [:]
            return lease.save(record)
        }
        XCTAssertEqual(failures.count, 1, "\(failures)")
        XCTAssertTrue(failures.contains { $0.contains("foreign members") }, "\(failures)")
    }

    func testAStoreWhoseCancelledSaveReplacesALaterOneDoesNotConform() {
        let failures = failures { record, lease, clock in
            guard record.version == 2 else { return lease.save(record) }
            return .create { observer in
                _ = clock.scheduleRelative((), dueTime: .milliseconds(500)) {
                    lease.save(record).subscribe { observer($0) }
                }
                return Disposables.create()
            }
        }
        XCTAssertTrue(
            failures.contains { $0.hasPrefix("a save that nobody waits for any more replaces no later one: ") },
            "\(failures)")
    }

    func testAStoreWhoseSavesDoNotEndDoesNotConform() {
        let failures = failures { _, _, _ in .never() }
        XCTAssertTrue(
            failures.contains("a running save ends before the lock is released: the save did not end"), "\(failures)")
    }
}

private final class WrongStore: CredentialStore {
    private let inner = MemoryStore()
    private let save: WrongLease.Save
    private let clock: any SchedulerType

    init(on clock: any SchedulerType, _ save: @escaping WrongLease.Save) {
        self.clock = clock
        self.save = save
    }

    func load() -> Single<StoredCredential> { inner.load() }
    func lock() -> Single<any CredentialLease> {
        inner.lock().map { [save, clock] in WrongLease($0, clock, save) }
    }
}

private final class WrongLease: CredentialLease {
    typealias Save =
        @Sendable (StoredCredential, any CredentialLease, any SchedulerType) -> Single<Void>

    private let inner: any CredentialLease
    private let clock: any SchedulerType
    private let save: Save

    init(_ inner: any CredentialLease, _ clock: any SchedulerType, _ save: @escaping Save) {
        self.inner = inner
        self.clock = clock
        self.save = save
    }

    func load() -> Single<StoredCredential> { inner.load() }
    func save(_ record: StoredCredential) -> Single<Void> { save(record, inner, clock) }
    func unlock() { inner.unlock() }
}

private final class WrongFixture: VirtualFixture, StoreFixture {
    private let save: WrongLease.Save
    private lazy var store = WrongStore(on: clock, save)

    init(_ save: @escaping WrongLease.Save) {
        self.save = save
        super.init()
    }

    func makeStore() -> any CredentialStore { store }
}
