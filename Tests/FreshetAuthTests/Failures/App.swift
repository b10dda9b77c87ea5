import FreshetAuth
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting

/// A program with a client whose requests to the API carry the credential of a store.
final class App: Sendable {
    let gate: RefreshGate
    let client: HTTPClient
    let announced = Locked<[LoginRequired]>([])
    let refreshes = Locked<[RefreshEvent]>([])
    private let bag = DisposeBag()

    /// - Parameter others: interceptors beneath the authentication.
    init(
        at server: StrictServer, store: any CredentialStore, signs: ExpiryRule = ExpiryRule(),
        others: [any RequestInterceptor] = [], authenticator: (any Authenticator)? = nil,
        origins: [String] = [StrictServer.origin], configuration: HTTPClient.Configuration = .init(),
        settings change: (inout RefreshGate.Settings) -> Void = { _ in }
    ) throws {
        let clocks = server.clocks
        let authenticator = try authenticator ?? server.authenticator(signs: signs)
        var settings = RefreshGate.Settings()
        change(&settings)
        gate = RefreshGate(
            store: store, authenticator: authenticator, scheduler: clocks.scheduler,
            secondsSince1970: { clocks.device }, settings: settings)
        let interceptor = AuthenticationInterceptor(
            gate: gate, authenticator: authenticator, origins: Set(try origins.map { try Origin($0) }))
        client = HTTPClient(
            transport: server.api, scheduler: clocks.scheduler, interceptors: [interceptor] + others,
            configuration: configuration)
        gate.loginRequired.subscribe(onNext: { [announced] reason in announced.withLock { $0.append(reason) } })
            .disposed(by: bag)
        gate.refreshes.subscribe(onNext: { [refreshes] event in refreshes.withLock { $0.append(event) } })
            .disposed(by: bag)
    }

    func get(_ path: String = "/x") -> Single<Response> { client.get(StrictServer.origin + path) }

    var outcomes: [RefreshEvent.Outcome] { refreshes.withLock { $0.map(\.outcome) } }
    var logins: [LoginRequired] { announced.withLock { $0 } }
}

extension StrictServer {
    /// - Parameter revokes: whether the authenticator asks the server to revoke tokens.
    func authenticator(
        signs: ExpiryRule = ExpiryRule(), client: HTTPClient? = nil, revokes: Bool = false
    ) throws -> OAuthAuthenticator {
        try OAuthAuthenticator(
            tokenURL: RequestURL(Self.tokenURL), revocationURL: revokes ? RequestURL(Self.revocationURL) : nil,
            clientID: "app", expired: signs, client: client ?? refreshClient,
            secondsSince1970: { [clocks] in clocks.device })
    }

    var refreshClient: HTTPClient { HTTPClient(transport: identity, scheduler: clocks.scheduler) }
}
