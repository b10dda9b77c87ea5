import Freshet

/// The example of the page of this name.
enum ReactiveProvider {
    struct Article: Decodable, Equatable, Sendable {
        var title: String
    }

    enum Articles: Endpoint {
        typealias Response = [Article]

        case latest
        case search(String)

        var path: String {
            switch self {
            case .latest: "/articles"
            case .search: "/articles/search"
            }
        }

        var query: [(name: String, value: String)] {
            switch self {
            case .latest: []
            case .search(let words): [("q", words)]
            }
        }
    }

    enum APIError: Error, Equatable {
        case loginRequired
        case status(Int)
        case other(String)
    }

    struct Provider: Sendable {
        let client: HTTPClient
        let base: String

        func request<Call: Endpoint>(_ call: Call) -> Single<Result<Call.Response, APIError>> {
            client.call(call, at: base).map { .success($0) }.catch { error in
                let error = error as? HTTPClientError
                switch error?.code {
                case .loginRequired?: return .just(.failure(.loginRequired))
                case .status?: return .just(.failure(.status(error?.response?.status.code ?? 0)))
                default: return .just(.failure(.other(error?.code.rawValue ?? "unknown")))
                }
            }
        }
    }

    static func provider(
        of base: String, apiKey: String, store: any CredentialStore, runtime: FreshetRuntime,
        reissue: @escaping @Sendable (Credential?) -> Single<Credential>
    ) throws -> Provider {
        let tokens = CredentialPlacement.fields(
            access: HTTPField.Name("X-Access-Token")!, refresh: HTTPField.Name("X-Refresh-Token")!,
            headers: [HTTPField.Name("X-Api-Key")!: apiKey])
        let authenticator = ClosureAuthenticator(placement: tokens, expired: ExpiryRule(statuses: [419])) {
            credential in
            Observable.just(()).observe(on: runtime.scheduler).flatMap { reissue(credential) }.asSingle()
        }
        let gate = runtime.gate(store: store, authenticator: authenticator)
        let client = try runtime.client(authenticatedBy: gate, authenticator, origins: [base])
        return Provider(client: client, base: base)
    }
}
