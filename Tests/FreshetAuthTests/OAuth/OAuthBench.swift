import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes

@testable import FreshetAuth

/// An authorization server that a test scripts, on virtual time that begins 1000 s after 1970.
final class OAuthBench: Sendable {
    let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
    let server: StubTransport
    let client: HTTPClient

    init() {
        server = StubTransport(scheduler: scheduler)
        client = HTTPClient(transport: server, scheduler: scheduler)
        server.route { _ in ScriptedResponse() }
    }

    func authenticator(
        grant: OAuthGrant = .refreshToken, secret: String? = nil,
        by authentication: ClientAuthentication = .form, placement: CredentialPlacement = .authorization(),
        expired: ExpiryRule = ExpiryRule(), _ configure: (inout OAuthAuthenticator) -> Void = { _ in }
    ) throws -> OAuthAuthenticator {
        var authenticator = try OAuthAuthenticator(
            tokenURL: RequestURL("https://id.example/token"), revocationURL: RequestURL("https://id.example/revoke"),
            grant: grant, clientID: "cli", clientSecret: secret, clientAuthentication: authentication,
            placement: placement, expired: expired, client: client,
            secondsSince1970: { [scheduler] in 1000 + scheduler.now.sinceStart / .seconds(1) })
        configure(&authenticator)
        return authenticator
    }

    func result<Value>(_ single: Single<Value>) -> Result<Value, any Error>? {
        let ending = Ending<Value>()
        _ = single.subscribe { ending.set($0) }
        scheduler.start()
        return ending.value
    }

    /// The result of refreshing `credential` when the server sends `response`.
    func refresh(
        _ response: ScriptedResponse, of credential: Credential = pair(1), by authenticator: OAuthAuthenticator? = nil
    ) throws -> Result<Credential, any Error>? {
        server.enqueue(response)
        return result(try (authenticator ?? self.authenticator()).refresh(credential))
    }

    /// Whether a gate ends the session after `response`; `nil` if the response gives a credential.
    func isRefused(_ response: ScriptedResponse, by authenticator: OAuthAuthenticator? = nil) throws -> Bool? {
        let authenticator = try authenticator ?? self.authenticator()
        guard case .failure(let error)? = try refresh(response, by: authenticator) else { return nil }
        let gate = RefreshGate(store: MemoryStore(), authenticator: authenticator, scheduler: scheduler)
        return gate.settings.isRefusal(error)
    }
}
