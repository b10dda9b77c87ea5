import FoundationNetworking
import Freshet
import FreshetURLRequest

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

    func items(_ request: URLRequest) -> Single<[Item]> {
        client.send(request).validate().decode([Item].self)
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

    static func isOffline(_ error: any Error) -> Bool {
        guard let error = error as? HTTPClientError else { return false }
        let cause = error.code == .refreshFailed ? error.underlying as? HTTPClientError : error
        return cause?.code == .connect || cause?.code == .resolve
    }
}

struct ClientName: RequestInterceptor {
    let origin: Origin

    func adapt(_ request: inout Request) -> Adaptation {
        guard request.url.origin == origin else { return .ready }
        request.headers["X-Client"] = "tides"
        return .ready
    }

    func retry(_ attempt: Attempt) -> Single<RetryResult> {
        guard case .response(let response) = attempt.outcome, response.status == .serviceUnavailable else {
            return .just(.doNotRetry)
        }
        return .just(attempt.number <= 2 ? .retryWithDelay(.seconds(1)) : .doNotRetry)
    }
}

struct BusyBody: RequestInterceptor {
    func peek(at head: HTTPResponse, of request: Request) -> Peek {
        head.status == .ok ? .body(limit: 1024) : .nothing
    }

    func retry(_ attempt: Attempt) -> Single<RetryResult> {
        guard case .response(let response) = attempt.outcome, response.text.contains("busy"), attempt.number <= 3 else {
            return .just(.doNotRetry)
        }
        return .just(.retryWithDelay(.seconds(1)))
    }
}

final class TokenInterceptor: RequestInterceptor {
    private struct State {
        var token: String
        var waiting: [@Sendable (RetryResult) -> Void] = []
    }

    private let state: Locked<State>
    private let origin: Origin
    private let refresh: Single<String>

    init(token: String, for origin: Origin, refresh: Single<String>) {
        state = Locked(State(token: token))
        self.origin = origin
        self.refresh = refresh
    }

    func adapt(_ request: inout Request) -> Adaptation {
        guard request.url.origin == origin else { return .ready }
        request.headers[.authorization] = "Bearer \(state.withLock { $0.token })"
        return .ready
    }

    func retry(_ attempt: Attempt) -> Single<RetryResult> {
        guard case .response(let response) = attempt.outcome, response.status == .unauthorized, attempt.number <= 3,
            attempt.request.url.origin == origin
        else { return .just(.doNotRetry) }
        return Single.create { [self] single in
            let waiting = state.withLock { state -> Int in
                // The token may have been refreshed since the request was sent.
                guard attempt.request.headers[.authorization] == "Bearer \(state.token)" else { return 0 }
                state.waiting.append { single(.success($0)) }
                return state.waiting.count
            }
            if waiting == 0 { single(.success(.retry)) }
            if waiting == 1 { startRefresh() }
            return Disposables.create()
        }
    }

    private func startRefresh() {
        _ = refresh.subscribe { [self] result in
            let waiting = state.withLock { state in
                if case .success(let token) = result { state.token = token }
                defer { state.waiting = [] }
                return state.waiting
            }
            switch result {
            case .success: waiting.forEach { $0(.retry) }
            case .failure(let error): waiting.forEach { $0(.doNotRetryWithError(error)) }
            }
        }
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
