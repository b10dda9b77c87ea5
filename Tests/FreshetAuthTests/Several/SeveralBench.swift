import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes

@testable import FreshetAuth

/// Several credentials for one server on virtual time.
final class SeveralBench: Sendable {
    let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
    let api: StubTransport
    /// The access tokens that refreshes replaced, in order.
    let refreshed = Locked<[String]>([])

    init() {
        api = StubTransport(scheduler: scheduler)
    }

    /// Makes an interceptor whose credential is `token`. Each refresh appends a `+` to the token.
    func interceptor(_ token: String, for origin: String = "https://api.example") throws -> AuthenticationInterceptor {
        AuthenticationInterceptor(
            authenticator: ClosureAuthenticator { [refreshed] credential in
                let old = credential?.accessToken ?? ""
                refreshed.withLock { $0.append(old) }
                return .just(Credential(accessToken: old + "+"))
            }, store: MemoryStore(Credential(accessToken: token)), origins: [try Origin(origin)], scheduler: scheduler)
    }

    func send(
        _ path: String, _ key: CredentialKey? = nil, through interceptor: any RequestInterceptor
    ) throws -> Result<Response, any Error>? {
        var request = try Request(.get, path.hasPrefix("/") ? "https://api.example\(path)" : path)
        request.tags[CredentialKey.self] = key
        let ending = Ending<Response>()
        _ = HTTPClient(transport: api, scheduler: scheduler, interceptors: [interceptor]).send(request)
            .subscribe { ending.set($0) }
        scheduler.start()
        return ending.value
    }

    /// The path and the token of each request since the last call.
    func seen() -> [String] {
        defer { first.withLock { $0 = api.requestCount } }
        return api.requests.dropFirst(first.withLock { $0 }).map { "\($0.target) \($0.bearerToken ?? "-")" }
    }

    private let first = Locked(0)
}
