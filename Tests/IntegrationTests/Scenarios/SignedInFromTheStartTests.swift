import FreshetAuth
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests the state of the session at the start of an app.
final class SignedInFromTheStartTests: ScenarioTestCase {
    private func setting(
        _ expiry: TokenServer.Expiry = .never, store: (Credential) -> any CredentialStore = { MemoryStore($0) }
    ) throws -> (server: TokenServer, gate: RefreshGate, probe: @Sendable (Credential) -> Single<Void>) {
        var rules = TokenServer.Rules()
        rules.expiry = expiry
        let server = try TokenServer(on: loop, rules: rules)
        let gate = gate(store(Credential(server.signIn())), try oauth(server))
        let plain = client()
        return (
            server, gate,
            { credential in
                plain.get("\(server.url)/me", headers: [.authorization: "Bearer \(credential.accessToken)"])
                    .validate().map { _ in }
            }
        )
    }

    func testAValidStoredPairIsSignedIn() async throws {
        let (server, gate, probe) = try setting()
        let state = try await gate.session(checking: probe).value
        XCTAssertEqual(state, .signedIn)
        XCTAssertEqual(server.requests.map(\.path), ["/me"])
    }

    func testAnExpiredStoredPairIsRefreshed() async throws {
        let (server, gate, probe) = try setting(.afterUses([0]))
        let state = try await gate.session(checking: probe).value
        XCTAssertEqual(state, .refreshed)
        XCTAssertEqual(server.requests.map(\.path), ["/me", "/token", "/me"])
    }

    func testATemporaryRefreshFailureKeepsThePair() async throws {
        let (server, gate, probe) = try setting(.afterUses([0]))
        let logins = loginRequests(of: gate)
        server.scriptRefreshes(with: ScriptedResponse(status: .badGateway))
        let first = try await gate.session(checking: probe).value
        XCTAssertEqual(first, .refreshable)
        XCTAssertEqual(logins.withLock { $0 }, [])
        let second = try await gate.session(checking: probe).value
        XCTAssertEqual(second, .refreshed)
    }

    func testAnEmptyStoreRequiresALogin() async throws {
        let (server, gate, probe) = try setting(store: { _ in MemoryStore() })
        let state = try await gate.session(checking: probe).value
        XCTAssertEqual(state, .loginRequired)
        XCTAssertEqual(server.requests.count, 0)
    }

    func testARefreshEndpointThatRespondsWith401CausesNoLoop() async throws {
        let (server, gate, probe) = try setting(.everyUses(0))
        let logins = loginRequests(of: gate)
        server.scriptRefreshes(with: ExpiryResponse.unauthorized.response)
        let state = try await gate.session(checking: probe).value
        XCTAssertEqual(state, .loginRequired)
        XCTAssertEqual(server.requests.map(\.path), ["/me", "/token"])
        XCTAssertEqual(logins.withLock { $0 }, [.refused])
        let again = try await gate.session(checking: probe).value
        XCTAssertEqual(again, .loginRequired)
        XCTAssertEqual(server.requests.count, 2, "a session that is over asks nobody")
    }

    func testAStoreThatCannotBeWrittenIsAnErrorWithoutARetry() async throws {
        let (server, gate, probe) = try setting(.afterUses([0]), store: { ReadOnlyStore($0) })
        let error = await failure(of: gate.session(checking: probe))
        XCTAssertEqual(error.code, .store)
        XCTAssertEqual(error.message, "the disk is full")
        XCTAssertEqual(server.requests.map(\.path), ["/me", "/token"])
    }

    func testAStatusOutsideOf200To299IsAnError() async throws {
        let server = try ScriptedServer(on: loop)
        for status in [300, 304, 404, 500] {
            server.enqueue(ScriptedResponse(status: .init(code: status)))
            let error = await failure(of: client().get(server.url).validate())
            XCTAssertEqual(error.code, .status)
            XCTAssertEqual(error.response?.status.code, status)
        }
        server.enqueue(ScriptedResponse(status: .created))
        _ = try await client().get(server.url).validate().value
    }
}

/// A store that can be read and not written.
private final class ReadOnlyStore: CredentialStore, CredentialLease {
    private let record: StoredCredential

    init(_ credential: Credential) {
        record = StoredCredential(credential: credential, version: 1)
    }

    func load() -> Single<StoredCredential> { .just(record) }
    func lock() -> Single<any CredentialLease> { .just(self) }
    func save(_ record: StoredCredential) -> Single<Void> { .error(StoreError("the disk is full")) }
    func unlock() {}
}
