import Foundation
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

@testable import FreshetAuth

/// MSAL.NET#2645 and others: a table of accounts grew without bound.
final class AccountEvictionTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    /// A store that outlives its gate, as a file does.
    private struct OuterStore: CredentialStore {
        let memory: MemoryStore
        var isPersistent = true

        func load() -> Single<StoredCredential> { memory.load() }
        func lock() -> Single<any CredentialLease> { memory.lock() }
    }

    private func key(_ number: Int) -> CredentialKey { CredentialKey(account: "\(number)") }

    private static func interceptor(
        on scheduler: TestScheduler, at clock: Locked<Double> = Locked(1000), expiresAt: Double? = nil,
        refresh: Single<Credential> = .never()
    ) throws -> AuthenticationInterceptor {
        let store = OuterStore(memory: MemoryStore(Credential(accessToken: "a", expiresAt: expiresAt)))
        return AuthenticationInterceptor(
            authenticator: ClosureAuthenticator { _ in refresh }, store: store,
            origins: [try Origin("https://api.example")], scheduler: scheduler,
            secondsSince1970: { clock.withLock { $0 } })
    }

    private func use(_ accounts: AccountInterceptor, _ key: CredentialKey, on scheduler: TestScheduler) throws {
        _ = try accounts.gate(for: key).credential().subscribe()
        scheduler.advanceBy(10)
    }

    func testTheLeastRecentlyUsedAccountIsEvictedFirst() throws {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let accounts = AccountInterceptor(maximumCount: 4) { _ in try Self.interceptor(on: scheduler) }
        for number in 1...4 { try use(accounts, key(number), on: scheduler) }
        try use(accounts, key(1), on: scheduler)
        try use(accounts, key(5), on: scheduler)
        XCTAssertEqual(accounts.keys, Set([1, 3, 4, 5].map(key)))
    }

    func testAccountsWithAnExpiredCredentialAreEvictedFirst() throws {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let clock = Locked(1000.0)
        let accounts = AccountInterceptor(maximumCount: 4) { key in
            try Self.interceptor(on: scheduler, at: clock, expiresAt: key.account == "4" ? 1001 : 9000)
        }
        for number in 1...4 { try use(accounts, key(number), on: scheduler) }
        clock.withLock { $0 = 1002 }
        try use(accounts, key(5), on: scheduler)
        XCTAssertEqual(accounts.keys, Set([2, 3, 5, 1].map(key)))
    }

    func testNoAccountInUseIsEvicted() throws {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let accounts = AccountInterceptor(maximumCount: 2) { key in
            try Self.interceptor(on: scheduler, expiresAt: key.account == "1" ? 500 : nil)
        }
        // The first gate waits for its refresh. The second gate has an observer of `loginRequired`.
        let waiting = try accounts.gate(for: key(1)).credential().subscribe()
        let observing = try accounts.gate(for: key(2)).loginRequired.subscribe()
        scheduler.advanceBy(10)
        for number in 3...20 { try use(accounts, key(number), on: scheduler) }
        XCTAssertEqual(accounts.keys.intersection([key(1), key(2)]), [key(1), key(2)])
        XCTAssertLessThanOrEqual(accounts.keys.count, 4)
        waiting.dispose()
        observing.dispose()
        scheduler.advanceBy(100_000)
    }

    func testAnAccountWhoseCredentialWouldBeLostIsNotEvicted() throws {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let stores: [any CredentialStore] = [MemoryStore(), OuterStore(memory: MemoryStore(), isPersistent: false)]
        for store in stores {
            let accounts = AccountInterceptor(maximumCount: 2) { _ in
                AuthenticationInterceptor(
                    authenticator: ClosureAuthenticator { _ in .never() }, store: store, origins: [],
                    scheduler: scheduler)
            }
            for number in 1...5 { _ = try accounts.gate(for: key(number)) }
            XCTAssertEqual(accounts.keys.count, 5)
        }
    }

    /// Another gate would send the refresh token that is spent.
    func testAnAccountWhosePairCouldNotBeWrittenIsNotEvicted() throws {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let full = SlowStore(pair(1, expiresAt: 500), on: scheduler)
        full.failWrites(1)
        let accounts = AccountInterceptor(maximumCount: 2) { key in
            guard key.account == "1" else { return try Self.interceptor(on: scheduler) }
            return AuthenticationInterceptor(
                authenticator: ClosureAuthenticator { _ in .just(pair(2)) }, store: full, origins: [],
                scheduler: scheduler, secondsSince1970: { 1000 })
        }
        _ = try accounts.gate(for: key(1)).credential().subscribe { _ in }
        scheduler.advanceBy(100_000)
        for number in 2...9 { try use(accounts, key(number), on: scheduler) }
        XCTAssertTrue(accounts.keys.contains(key(1)))
        let settled = Locked(false)
        _ = try accounts.gate(for: key(1)).settled().subscribe(onSuccess: { settled.withLock { $0 = true } })
        scheduler.advanceBy(100_000)
        XCTAssertTrue(settled.withLock { $0 })
        XCTAssertEqual(full.record.credential?.refreshToken, "r2")
    }

    /// The number of tenants is `FRESHET_TENANTS`, by default 2,000.
    func testAnyNumberOfTenantsUsesTheMemoryOfAHundred() throws {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let accounts = AccountInterceptor(maximumCount: 100) { _ in try Self.interceptor(on: scheduler) }
        var most = 0
        let count = ProcessInfo.processInfo.environment["FRESHET_TENANTS"].flatMap { Int($0) } ?? 2000
        for number in 0..<count {
            _ = try accounts.gate(for: key(number))
            if number % 100 == 0 { most = max(most, accounts.keys.count, Resources.total - resources) }
        }
        XCTAssertLessThanOrEqual(most, 101 * 10)
        XCTAssertLessThanOrEqual(accounts.keys.count, 100)
    }
}
