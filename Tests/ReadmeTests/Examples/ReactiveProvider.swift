import Freshet

/// The example of the page of this name.
enum ReactiveProvider {
    struct Article: Codable, Equatable, Sendable {
        var title: String
    }

    enum API: Endpoint {
        typealias Failure = Problem

        case latest
        case search(String)
        case delete(Int)

        var method: HTTPRequest.Method { if case .delete = self { .delete } else { .get } }
        var path: String {
            switch self {
            case .latest: "articles"
            case .search: "articles/search"
            case .delete(let id): "articles/\(id)"
            }
        }
        var query: [(name: String, value: String)] { if case .search(let words) = self { [("q", words)] } else { [] } }
    }

    struct Latest: Endpoint {
        typealias Response = [Article]

        var path: String { "articles" }
    }

    struct Problem: Decodable, Error, Equatable {
        var reason: String
    }

    enum APIError: Error, Equatable {
        case loginRequired
        case refused(Problem)
        case status(Int)
        case other(String)

        init(_ error: any Error) {
            let error = error as? HTTPClientError
            switch (error?.code, error?.underlying) {
            case (.loginRequired, _): self = .loginRequired
            case (.status, let problem as Problem): self = .refused(problem)
            case (.status, _): self = .status(error?.response?.status.code ?? 0)
            default: self = .other(error?.code.rawValue ?? "unknown")
            }
        }
    }

    struct Provider: Sendable {
        let client: HTTPClient
        let base: String

        func request<Model: Decodable & Sendable>(_ call: API, as type: Model.Type) -> Single<Result<Model, APIError>> {
            client.call(call, at: base, as: type).map { .success($0) }.catch { .just(.failure(APIError($0))) }
        }

        func perform(_ call: API) -> Single<Result<Void, APIError>> {
            client.call(call, at: base).map { .success(()) }.catch { .just(.failure(APIError($0))) }
        }
    }

    static func provider(
        of server: String, apiKey: String, store: any CredentialStore, runtime: FreshetRuntime,
        reissue: @escaping @Sendable (Credential?) -> Single<Credential>
    ) throws -> Provider {
        let tokens = CredentialPlacement.fields(
            access: HTTPField.Name("X-Access-Token")!, refresh: HTTPField.Name("X-Refresh-Token")!,
            headers: [HTTPField.Name("X-Api-Key")!: apiKey])
        let authenticator = ClosureAuthenticator(
            placement: tokens, expired: ExpiryRule(statuses: [419]), refresh: reissue)
        let gate = runtime.gate(store: store, authenticator: authenticator)
        let client = try runtime.client(authenticatedBy: gate, authenticator, origins: [server], pathPrefix: "/v2")
        return Provider(client: client, base: "\(server)/v2")
    }
}
