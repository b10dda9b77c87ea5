import Freshet

/// The example of the page of this name.
enum ReactiveProvider {
    struct Article: Codable, Equatable, Sendable {
        var title: String
    }

    enum API: Endpoint {
        typealias Failure = Problem
        case latest, search(String), delete(Int)
        var method: HTTPRequest.Method { if case .delete = self { .delete } else { .get } }
        var path: String { if case .delete(let id) = self { "articles/\(id)" } else { "articles" } }
        var query: [(name: String, value: String)] { if case .search(let words) = self { [("q", words)] } else { [] } }
    }

    struct Problem: Decodable, Error, Equatable { var reason: String }

    enum APIError: Error, Equatable {
        case refused(Problem), failed(HTTPClientError.Code?)
        init(_ error: any Error) {
            let error = error as? HTTPClientError
            self = (error?.underlying as? Problem).map { .refused($0) } ?? .failed(error?.code)
        }
    }

    struct Latest: Endpoint {
        typealias Response = [Article]

        var path: String { "articles" }
        var timeout: Duration? { .seconds(10) }
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
