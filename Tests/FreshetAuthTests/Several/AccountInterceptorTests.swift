import Dispatch
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

@testable import FreshetAuth

/// The numbers in comments are those of the failures in the article RefreshFailures.
final class AccountInterceptorTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    private let anna = CredentialKey(account: "anna")
    private let bert = CredentialKey(account: "bert")

    // Failure 20: a caller got the token of another user, or of another scope.
    func testAccountsScopesAndAudiencesHaveSeparateCredentials() throws {
        let bench = SeveralBench()
        let accounts = AccountInterceptor { try bench.interceptor($0.name) }
        let keys = [
            anna, bert, CredentialKey(account: "anna", scopes: ["read"]),
            CredentialKey(account: "anna", scopes: ["read", "write"]), CredentialKey(account: "anna", audience: "x"),
        ]
        bench.api.route { request in
            request.bearerToken?.hasSuffix("+") == true ? ScriptedResponse() : ScriptedResponse(status: .unauthorized)
        }
        for key in keys { XCTAssertEqual(try bench.send("/", key, through: accounts)?.get().status, .ok) }
        XCTAssertEqual(bench.seen(), keys.flatMap { ["/ \($0.name)", "/ \($0.name)+"] })
        XCTAssertEqual(bench.refreshed.withLock { $0 }, keys.map(\.name), "each its own")
        for key in keys { _ = try bench.send("/", key, through: accounts) }
        XCTAssertEqual(bench.seen(), keys.map { "/ \($0.name)+" })
        XCTAssertEqual(accounts.keys, Set(keys))
    }

    // Failure 18: each client refreshed the same credential.
    func testAKeyHasOneGateOnAnyNumberOfThreads() throws {
        let bench = SeveralBench()
        let made = Locked(0)
        let accounts = AccountInterceptor { key in
            made.withLock { $0 += 1 }
            return try bench.interceptor(key.name)
        }
        let gates = Locked<Set<ObjectIdentifier>>([])
        let keep = Locked<[RefreshGate]>([])
        DispatchQueue.concurrentPerform(iterations: 8) { [anna] _ in
            for _ in 0..<100 {
                guard let gate = try? accounts.gate(for: anna) else { continue }
                keep.withLock { $0.append(gate) }
                gates.withLock { _ = $0.insert(ObjectIdentifier(gate)) }
            }
        }
        XCTAssertEqual(gates.withLock { $0.count }, 1)
        XCTAssertEqual(keep.withLock { $0.count }, 800)
        XCTAssertLessThanOrEqual(made.withLock { $0 }, 8)
    }

    func testTheFirstOfTwoInterceptorsCreatedAtTheSameTimeIsUsedByAll() throws {
        let bench = SeveralBench()
        let second = Locked<(@Sendable () throws -> RefreshGate)?>(nil)
        let between = Locked<RefreshGate?>(nil)
        let accounts = AccountInterceptor { key in
            let made = try bench.interceptor(key.name)
            // Another caller asks while this interceptor is being made.
            let other = second.withLock { work in
                defer { work = nil }
                return work
            }
            let gate = try other?()
            between.withLock { $0 = gate ?? $0 }
            return made
        }
        second.withLock { $0 = { [anna] in try accounts.gate(for: anna) } }
        let gate = try accounts.gate(for: anna)
        XCTAssertTrue(gate === between.withLock { $0 })
        XCTAssertTrue(gate === (try accounts.gate(for: anna)))
    }

    func testWithoutAKeyARequestIsSentUnchangedOrUsesTheDefaultKey() throws {
        let bench = SeveralBench()
        _ = try bench.send("/", through: AccountInterceptor { try bench.interceptor($0.account) })
        _ = try bench.send("/", through: AccountInterceptor(defaultKey: anna) { try bench.interceptor($0.account) })
        _ = try bench.send(
            "/", bert, through: AccountInterceptor(defaultKey: anna) { try bench.interceptor($0.account) })
        XCTAssertEqual(bench.seen(), ["/ -", "/ anna", "/ bert"])
    }

    func testAFailureToCreateTheInterceptorFailsTheRequest() throws {
        let bench = SeveralBench()
        let accounts = AccountInterceptor { _ in throw StoreError("no such account; add it") }
        XCTAssertThrowsError(try bench.send("/", anna, through: accounts)?.get()) {
            XCTAssertEqual(($0 as? StoreError)?.message, "no such account; add it")
        }
        XCTAssertEqual(bench.api.requestCount, 0)
    }

    func testARemovedKeyIsNotRestoredByAPendingRequest() throws {
        let bench = SeveralBench()
        let accounts = AccountInterceptor { try bench.interceptor($0.account) }
        let first = try accounts.gate(for: anna)
        XCTAssertTrue(first === (try accounts.gate(for: anna)))
        bench.api.enqueue(
            ScriptedResponse(status: .unauthorized).after(.seconds(1)), ScriptedResponse(status: .unauthorized))
        var request = try Request(.get, "https://api.example/")
        request.tags[CredentialKey.self] = anna
        let ending = Ending<Response>()
        _ = HTTPClient(transport: bench.api, scheduler: bench.scheduler, interceptors: [accounts]).send(request)
            .subscribe { ending.set($0) }
        XCTAssertTrue(accounts.remove(anna))
        XCTAssertFalse(accounts.remove(anna))
        bench.scheduler.start()
        XCTAssertEqual(try ending.value?.get().status, .unauthorized)
        XCTAssertEqual(bench.refreshed.withLock { $0 }, [])
        XCTAssertEqual(accounts.keys, [])
        XCTAssertFalse(first === (try accounts.gate(for: anna)), "the next use makes another")
    }

    func testTheCredentialOfAKeyIsSentToItsOriginsOnly() throws {
        let bench = SeveralBench()
        let accounts = AccountInterceptor { try bench.interceptor($0.account) }
        bench.api.enqueue(
            ScriptedResponse(status: .temporaryRedirect, headers: [.location: "https://stranger.example/x"]))
        _ = try bench.send("/", anna, through: accounts)
        XCTAssertEqual(bench.seen(), ["/ anna", "/x -"])
    }
}
