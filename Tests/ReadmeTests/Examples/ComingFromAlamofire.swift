import Freshet

/// The example of the page of this name.
struct ComingFromAlamofire {
    struct Item: Codable, Sendable, Equatable {
        var id: Int
        var name: String
    }

    let runtime: FreshetRuntime
    let client: HTTPClient

    init(runtime: FreshetRuntime) {
        self.runtime = runtime
        client = runtime.client.with(interceptors: [RetryPolicy(limit: 2)])
    }

    func items(page: Int, at api: String) async throws -> [Item] {
        try await client.get("\(api)/items", query: ["page": "\(page)"])
            .validate()
            .decode([Item].self).value
    }

    func create(_ item: Item, at api: String) -> Single<Item> {
        client.post("\(api)/items", json: item).validate().decode(Item.self)
    }

    func authenticated(_ gate: RefreshGate, _ authenticator: any Authenticator, api: String) throws -> HTTPClient {
        let authentication = AuthenticationInterceptor(
            gate: gate, authenticator: authenticator, origins: [try Origin(api)])
        return runtime.client.with(interceptors: [authentication, RetryPolicy(limit: 2)])
    }
}
