import FreshetAuth
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests that every wait ends, also if the server, the store or a closure never completes.
final class HangingRefreshTests: FailureTestCase {
    // Alamofire 3509, axios-auth-refresh 120, Ktor 3795: the refresh waited for itself in the queue.
    func testTheRefreshIsNotInterceptedByTheClientThatItServes() throws {
        let server = server()
        let itself = Later()
        let shared = HTTPClient(
            transport: server.identity, scheduler: clocks.scheduler, interceptors: [itself])
        let authenticator = try server.authenticator(client: shared)
        let app = try App(at: server, store: MemoryStore(server.signIn()), authenticator: authenticator)
        itself.interceptor.withLock {
            $0 = AuthenticationInterceptor(
                gate: app.gate, authenticator: authenticator,
                origins: [try! RequestURL(StrictServer.origin).origin, try! RequestURL(StrictServer.tokenURL).origin])
        }
        server.expire()
        XCTAssertEqual(try result(of: app.get()).text, "in")
        XCTAssertEqual(server.counts, .init(refreshes: 1))
        itself.interceptor.withLock { $0 = nil }
    }

    // Ktor 2797: the token endpoint responded with 401, and the call hung.
    func testARefreshThatReceivesTheExpiryResponseFailsAndCausesNoRefresh() throws {
        for code in [401, 419] {
            let server = server { $0.sign = .status(code) }
            let app = try App(at: server, store: MemoryStore(server.signIn()), signs: ExpiryRule(statuses: [code]))
            server.expire()
            server.identity.enqueue(ExpiryResponse.status(code).response)
            XCTAssertEqual(error(of: app.get())?.code, .loginRequired)
            XCTAssertEqual(server.identity.requestCount, 1)
            XCTAssertEqual(app.logins, [.refused])
        }
    }

    // Ktor 5879: after one refresh had thrown, the next hung for ever.
    func testAFailedRefreshIsFollowedByAnother() throws {
        let server = server()
        let app = try App(at: server, store: MemoryStore(server.signIn()))
        server.expire()
        server.identity.enqueue(.reset)
        XCTAssertEqual(error(of: app.get())?.code, .refreshFailed)
        XCTAssertEqual(try result(of: app.get()).text, "in")
        XCTAssertEqual(server.counts, .init(refreshes: 1))
    }

    // Alamofire's code: a completion that is never called blocks every waiter. Stirling-PDF 7978: nothing times it out.
    func testARefreshWithoutAResponseEndsAtItsDeadlineAndTheNextOneRuns() throws {
        let server = server()
        let app = try App(at: server, store: MemoryStore(server.signIn()))
        server.expire()
        server.identity.enqueue(.silence)
        let waiters = (0..<10).map { start(app.get("/\($0)")) }
        pass(29)
        XCTAssertTrue(waiters.allSatisfy { $0.value == nil })
        pass(1.5)
        XCTAssertEqual(waiters.map(\.code), Array(repeating: .refreshFailed, count: 10))
        XCTAssertEqual(try result(of: app.get()).text, "in")
    }

    // The server has rotated its tokens, and the only valid ones are in a response for which no caller waits.
    func testTheResponseOfATimedOutRefreshIsStoredWhenItArrives() throws {
        let server = server { $0.refreshDelay = .seconds(45) }
        let store = MemoryStore(server.signIn())
        let app = try App(at: server, store: store)
        server.expire()
        let early = (0..<10).map { start(app.get("/\($0)")) }
        pass(31)
        XCTAssertEqual(early.map(\.code), Array(repeating: .refreshFailed, count: 10))
        let late = (0..<10).map { start(app.get("/\($0)")) }
        finish(late)
        XCTAssertEqual(late.map(\.text), Array(repeating: "in", count: 10))
        XCTAssertEqual(server.counts, .init(refreshes: 1))
        XCTAssertEqual(try result(of: store.load()).credential?.accessToken, "access-2.1")
        XCTAssertEqual(app.outcomes, [.refreshed])
        XCTAssertEqual(app.logins, [])
    }

    // supabase-js 1962, 2235: the lock was taken and never released, and every call hung.
    func testTheWaitForALockThatIsNeverReleasedEndsAtTheDeadline() throws {
        let server = server()
        let store = NamedLockStore(base: MemoryStore(server.signIn()))
        let app = try App(at: server, store: store)
        server.expire()
        let lease = try result(of: store.lock())
        let waiters = (0..<10).map { start(app.get("/\($0)")) }
        finish(waiters)
        XCTAssertEqual(waiters.map(\.code), Array(repeating: .refreshFailed, count: 10))
        let text = waiters[0].error.map { "\($0)" } ?? ""
        XCTAssertTrue(text.contains("another process or gate may hold its lock tokens.lock"), text)
        XCTAssertTrue(text.contains("find out who holds the lock"), text)
        lease.unlock()
        XCTAssertEqual(try result(of: app.get()).text, "in")
    }

    // Nothing is known of a store that was not read, so the error must not say that a credential is kept.
    func testAReadOfTheStoreThatTakesTooLongClaimsNoCredential() throws {
        let server = server()
        let store = SlowStore(server.signIn(), on: clocks.scheduler, delay: .seconds(100))
        let app = try App(at: server, store: store)
        let text = error(of: app.get()).map { "\($0)" } ?? ""
        XCTAssertTrue(text.contains("no credential could be obtained"), text)
        XCTAssertFalse(text.contains("kept"), text)
        pass(200)
    }

    // The reverse of the same reports: a failed refresh must release the lock.
    func testTheLockIsReleasedAfterEveryKindOfRefresh() throws {
        for failing in [ScriptedResponse.reset, .silence, .json("{}"), .init(status: .badRequest)] {
            let server = server()
            let store = MemoryStore(server.signIn())
            let app = try App(at: server, store: store)
            server.expire()
            server.identity.enqueue(failing)
            XCTAssertNotNil(error(of: app.get()))
            // The gate waits for a late response.
            pass(31)
            XCTAssertNotNil(start(store.lock()).value, "the lock is free")
        }
    }

    // Alamofire 3322: a refresh that completed within the call locked twice, and crashed.
    func testASynchronousRefreshNeitherDeadlocksNorRunsTwice() throws {
        let server = server()
        let calls = Locked(0)
        let authenticator = ClosureAuthenticator { _ in
            calls.withLock { $0 += 1 }
            return .just(server.signIn())
        }
        let app = try App(at: server, store: MemoryStore(server.signIn()), authenticator: authenticator)
        server.expire()
        let fromWithin = Ending<Response>()
        let subscription = app.gate.refreshes.subscribe(onNext: { _ in
            XCTAssertEqual(app.gate.current?.accessToken, "access-1.2")
            _ = app.get("/within").subscribe { fromWithin.set($0) }
        })
        let responses = (0..<10).map { start(app.get("/\($0)")) }
        finish(responses + [fromWithin])
        XCTAssertEqual((responses + [fromWithin]).map(\.text), Array(repeating: "in", count: 11))
        XCTAssertEqual(calls.withLock { $0 }, 1)
        subscription.dispose()
    }

    // aws-sdk-java-v2 3142: the client waited at least 15 minutes between refreshes, and the token lived less.
    func testAShortLivedTokenIsRefreshedInTimeAndUsedInBetween() throws {
        let server = server {
            $0.lifetime = 10
            $0.refreshDelay = .milliseconds(100)
        }
        let app = try App(at: server, store: MemoryStore(server.signIn()))
        for _ in 0..<60 {
            XCTAssertEqual(try result(of: app.get()).text, "in")
            pass(1)
        }
        XCTAssertEqual(server.api.requestCount, 60, "none was refused")
        XCTAssertLessThanOrEqual(server.counts.refreshes, 12, "each served for more than half its life")
    }

    // aws-sdk-java-v2 5247: the client refreshed the token only a second before it expired, and the token expired on the way.
    func testATokenIsNotSentInItsLastSeconds() throws {
        let server = server()
        let app = try App(at: server, store: MemoryStore(server.signIn()))
        XCTAssertEqual(try result(of: app.get()).text, "in")
        pass(3600 - 59)
        XCTAssertEqual(try result(of: app.get()).text, "in")
        XCTAssertEqual(server.tokens.last, "access-2.1")
    }
}

/// An interceptor whose ``AuthenticationInterceptor`` is set after its client exists.
private final class Later: RequestInterceptor {
    let interceptor = Locked<AuthenticationInterceptor?>(nil)

    func adapt(_ request: inout Request) -> Adaptation {
        interceptor.withLock { $0 }?.adapt(&request) ?? .ready
    }

    func retry(_ attempt: Attempt) -> Single<RetryResult> {
        interceptor.withLock { $0 }?.retry(attempt) ?? .just(.doNotRetry)
    }
}

private struct NamedLockStore: CredentialStore {
    let base: MemoryStore
    var lockName: String? { "tokens.lock" }

    func load() -> Single<StoredCredential> { base.load() }
    func lock() -> Single<any CredentialLease> { base.lock() }
}
