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

    struct NotJSON: Error {}

    func json(_ url: String) -> Single<Response> {
        client.get(url).validate().do(onSuccess: { response in
            guard MediaType(response.headers[.contentType] ?? "")?.subtype == "json" else { throw NotJSON() }
        })
    }

    func authenticated(_ gate: RefreshGate, _ authenticator: any Authenticator, api: String) throws -> HTTPClient {
        let authentication = AuthenticationInterceptor(
            gate: gate, authenticator: authenticator, origins: [try Origin(api)])
        return runtime.client.with(interceptors: [authentication, RetryPolicy(limit: 2)])
    }
}

struct Trial: RequestInterceptor {
    func adapt(_ request: inout Request) -> Adaptation {
        request.headers["X-Client"] = "trial"
        return .ready
    }

    func retry(_ attempt: Attempt) -> Single<RetryResult> {
        guard case .response(let response) = attempt.outcome, response.status == .serviceUnavailable else {
            return .just(.doNotRetry)
        }
        return .just(attempt.number <= 2 ? .retryWithDelay(.seconds(1)) : .doNotRetry)
    }
}

struct Console: ClientMonitor {
    func receive(_ event: ClientEvent) {
        switch event.kind {
        case .finished(let timings): print("\(event.id): \(event.status?.code ?? 0) after \(timings.total)")
        case .failed(let error, _): print("\(event.id): \(error)")
        case .cancelled: print("\(event.id): cancelled")
        default: break
        }
    }
}
