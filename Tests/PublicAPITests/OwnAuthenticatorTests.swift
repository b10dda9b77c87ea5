import Freshet
import FreshetHTTPTesting
import FreshetTesting
import XCTest

/// Tests an authenticator and a credential store that a user has written.
final class OwnAuthenticatorTests: XCTestCase {
    private let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)

    func testAnExpiredKeyIsRenewedAndStoredAndTheRequestIsRepeated() throws {
        let server = StubTransport(scheduler: scheduler)
        server.route(.post, "/keys") { _ in ScriptedResponse(body: "new") }
        server.route(.get, "/item") { request in
            let isCurrent = request.headers[.init("X-Key")!] == "new"
            return ScriptedResponse(status: isCurrent ? .ok : .forbidden, body: isCurrent ? "item" : "expired")
        }
        let store = DictionaryStore(Credential(accessToken: "old", refreshToken: "seed"))
        let plain = HTTPClient(transport: server, scheduler: scheduler)
        let client = plain.with(interceptors: [
            AuthenticationInterceptor(
                authenticator: KeyAuthenticator(client: plain), store: store,
                origins: [try Origin("https://api.example")], scheduler: scheduler)
        ])
        let bodies = scheduler.createObserver([UInt8].self)
        let subscription = client.get("https://api.example/item").validate().map(\.body).asObservable().subscribe(
            bodies)
        scheduler.start()
        subscription.dispose()
        XCTAssertEqual(bodies.events.compactMap(\.value.element), [Array("item".utf8)])
        XCTAssertEqual(store.record.credential?.accessToken, "new")
        XCTAssertEqual(store.record.version, 2)
        XCTAssertEqual(server.requests.map(\.target), ["/item", "/keys", "/item"])
    }

    func testOneCallerAtATimeLocksTheStore() {
        let store = DictionaryStore(nil)
        let leases = scheduler.createObserver((any CredentialLease).self)
        let subscriptions = (0..<2).map { _ in store.lock().asObservable().take(1).subscribe(onNext: leases.onNext) }
        XCTAssertEqual(leases.events.count, 1)
        leases.events.first?.value.element?.unlock()
        XCTAssertEqual(leases.events.count, 2)
        leases.events.last?.value.element?.unlock()
        for subscription in subscriptions { subscription.dispose() }
    }
}

/// An authenticator with a key in a header of its own. A request renews the key, and the server refuses an old one with 403.
private struct KeyAuthenticator: Authenticator {
    let client: HTTPClient

    func refresh(_ credential: Credential?) -> Single<Credential> {
        let seed = credential?.refreshToken ?? ""
        return client.post("https://api.example/keys", body: .text(seed)).validate()
            .map { Credential(accessToken: String(decoding: $0.body, as: UTF8.self), refreshToken: seed) }
    }

    func apply(_ credential: Credential, to request: Request) -> Request {
        var request = request
        request.headers[.init("X-Key")!] = credential.accessToken
        return request
    }

    func isExpired(_ response: Response) -> Bool { response.status == .forbidden }

    func isRequest(_ request: Request, authenticatedWith credential: Credential) -> Bool {
        request.headers[.init("X-Key")!] == credential.accessToken
    }

    func excludes(_ request: Request) -> Bool { request.headers[.init("X-Key")!] != nil }
}

/// A store in memory whose lock is given to one caller after the other.
// Unchecked, because the lock guards its state.
private final class DictionaryStore: CredentialStore, @unchecked Sendable {
    private let mutex = NSLock()
    private var stored: StoredCredential
    private var isTaken = false
    private var waiting: [@Sendable () -> Void] = []

    init(_ credential: Credential?) {
        stored = credential.map { StoredCredential(credential: $0, version: 1) } ?? .empty
    }

    var record: StoredCredential { mutex.withLock { stored } }

    func load() -> Single<StoredCredential> { .deferred { .just(self.record) } }

    func lock() -> Single<any CredentialLease> {
        .create { observer in
            self.enter { observer(.success(Lease(store: self))) }
            return Disposables.create()
        }
    }

    private func enter(_ go: @escaping @Sendable () -> Void) {
        let mayGo = mutex.withLock {
            if isTaken { waiting.append(go) }
            defer { isTaken = true }
            return !isTaken
        }
        if mayGo { go() }
    }

    private func leave() {
        let next = mutex.withLock {
            isTaken = !waiting.isEmpty
            return waiting.isEmpty ? nil : waiting.removeFirst()
        }
        next?()
    }

    private struct Lease: CredentialLease {
        let store: DictionaryStore

        func load() -> Single<StoredCredential> { store.load() }

        func save(_ record: StoredCredential) -> Single<Void> {
            .deferred {
                store.mutex.withLock { store.stored = record }
                return .just(())
            }
        }

        func unlock() { store.leave() }
    }
}
