import FreshetAuth
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

@testable import FreshetSignIn

/// A client whose tokens are bound to a key, with an API and an authorization server, on virtual time that begins 1000 s after
/// 1970.
final class DPoPBench {
    let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
    let api: StubTransport
    let identity: StubTransport
    let interceptor: AuthenticationInterceptor

    init(tokenURL: String = "https://id.example/token") throws {
        api = StubTransport(scheduler: scheduler)
        identity = StubTransport(scheduler: scheduler)
        for transport in [api, identity] { transport.route { _ in ScriptedResponse() } }
        let clock: @Sendable () -> Double = { [scheduler] in 1000 + scheduler.now.sinceStart / .seconds(1) }
        let dpop = DPoP(secondsSince1970: clock)
        var authenticator = try OAuthAuthenticator(
            tokenURL: RequestURL(tokenURL), clientID: "cli",
            client: HTTPClient(transport: identity, scheduler: scheduler), secondsSince1970: clock)
        authenticator.proofOfPossession = dpop
        var credential = Credential(accessToken: "a1", refreshToken: "r1")
        credential.details.proofKey = try dpop.newKey()
        interceptor = AuthenticationInterceptor(
            authenticator: authenticator, store: MemoryStore(credential), origins: [try Origin("https://api.example")],
            scheduler: scheduler, secondsSince1970: clock)
    }

    func get(retrying: Bool = false, through wrapper: (any RequestInterceptor)? = nil) throws -> Response {
        let policy: [any RequestInterceptor] = retrying ? [RetryPolicy(limit: 1)] : []
        let client = HTTPClient(transport: api, scheduler: scheduler, interceptors: [wrapper ?? interceptor] + policy)
        return try result(client.get("https://api.example/items?q=1"))
    }

    func result<Value>(_ single: Single<Value>) throws -> Value {
        let ending = Locked<Result<Value, any Error>?>(nil)
        let subscription = single.subscribe { event in ending.withLock { $0 = event } }
        scheduler.start()
        subscription.dispose()
        return try XCTUnwrap(ending.withLock { $0 }).get()
    }

    func nonce(_ nonce: String) -> ScriptedResponse {
        ScriptedResponse(
            status: .unauthorized,
            headers: [.dpopNonce: nonce, .wwwAuthenticate: #"DPoP error="use_dpop_nonce", algs="ES256""#])
    }

    var tokenNonce: ScriptedResponse {
        var response = ScriptedResponse.json(#"{"error":"use_dpop_nonce"}"#, status: .badRequest)
        response.headers[.dpopNonce] = "as"
        return response
    }
}
