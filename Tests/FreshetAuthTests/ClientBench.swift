import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

@testable import FreshetAuth

/// A client with authentication and a server, both on virtual time.
/// The server rotates both tokens at each refresh: `a1` and `r1`, then `a2` and `r2`. It accepts only the newest ones.
final class ClientBench: @unchecked Sendable {
    let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
    let api: StubTransport
    let identity: StubTransport
    let store: any CredentialStore
    /// The generation whose tokens the server accepts.
    let newest = Locked(1)
    /// Whether the server refuses every access token until the next refresh.
    let isRevoked = Locked(false)
    let announced = Locked<[LoginRequired]>([])
    private(set) var gate: RefreshGate!
    private(set) var client: HTTPClient!
    private(set) var authenticator: any Authenticator

    private let bag = DisposeBag()

    init(
        store: any CredentialStore = MemoryStore(pair(1)), serverIsAt generation: Int = 1,
        refusing status: HTTPResponse.Status = .unauthorized, refusal: String = "expired",
        placement: CredentialPlacement = .authorization(), signs: ExpiryRule = ExpiryRule(),
        retryDelay: Duration = .zero, others: [any RequestInterceptor] = [],
        authenticator make: ((HTTPClient) throws -> any Authenticator)? = nil
    ) throws {
        self.store = store
        newest.withLock { $0 = generation }
        api = StubTransport(scheduler: scheduler)
        identity = StubTransport(scheduler: scheduler)
        let clock: @Sendable () -> Double = { [scheduler] in 1000 + scheduler.now.sinceStart / .seconds(1) }
        let refreshing = HTTPClient(transport: identity, scheduler: scheduler)
        authenticator =
            try make?(refreshing)
            ?? OAuthAuthenticator(
                tokenURL: RequestURL("https://id.example/token"), clientID: "cli", clientSecret: "s e/c",
                placement: placement, expired: signs, client: refreshing, secondsSince1970: clock)
        let interceptor = AuthenticationInterceptor(
            authenticator: authenticator, store: store, origins: [try Origin("https://api.example")],
            scheduler: scheduler, secondsSince1970: clock, retryDelay: retryDelay)
        gate = interceptor.gate
        client = HTTPClient(transport: api, scheduler: scheduler, interceptors: [interceptor] + others)
        gate.loginRequired.subscribe(onNext: { [announced] reason in announced.withLock { $0.append(reason) } })
            .disposed(by: bag)
        api.route { [newest, isRevoked] request in
            let token = request.bearerToken ?? request.headers[.init("X-Access")!]
            return token == "a\(newest.withLock { $0 })" && !isRevoked.withLock { $0 }
                ? ScriptedResponse(body: "hello") : ScriptedResponse(status: status, body: refusal)
        }
        identity.route { [newest, isRevoked] request in
            isRevoked.withLock { $0 = false }
            return newest.withLock { newest in
                guard request.text.contains("r\(newest)") else { return .json("{}", status: .badRequest) }
                newest += 1
                let tokens = #"{"access_token":"a\#(newest)","refresh_token":"r\#(newest)","expires_in":3600}"#
                return ScriptedResponse.json(tokens).after(.seconds(1))
            }
        }
    }

    /// Makes the server refuse every access token until the next refresh.
    func revoke() {
        isRevoked.withLock { $0 = true }
    }

    func get(_ url: String = "https://api.example/x", headers: HTTPFields = [:]) -> Single<Response> {
        client.get(url, headers: headers)
    }

    func result<Value>(_ single: Single<Value>) -> Result<Value, any Error>? {
        let ending = Ending<Value>()
        _ = single.subscribe { ending.set($0) }
        scheduler.start()
        return ending.value
    }

    func failure<Value>(_ single: Single<Value>) -> HTTPClientError? {
        guard case .failure(let error)? = result(single) else { return nil }
        return error as? HTTPClientError
    }

    /// The tokens of the requests that reached the API, in order.
    var tokens: [String?] { api.requests.map(\.bearerToken) }
}
