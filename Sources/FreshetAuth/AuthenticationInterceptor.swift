public import FreshetCore
public import FreshetHTTP
public import HTTPTypes

/// Puts a gate's credential on requests to named origins, and repeats those that a server refused because it had ended.
///
/// A request that waits fails, if there is no credential to be had, with an `HTTPClientError` of code `loginRequired`,
/// `refreshFailed`, `refreshStorm` or `store`; its `underlying` is the refresh's error, and its `response` the answer that
/// the request had got, with its body as far as it was peeked at. Everything else passes untouched.
/// Source: Alamofire's `AuthenticationInterceptor`.
public final class AuthenticationInterceptor: RequestInterceptor {
    public let gate: RefreshGate
    private let authenticator: any Authenticator
    private let origins: Set<Origin>
    private let retryDelay: Duration
    private let peekLimit: Int

    /// - Parameters:
    ///   - gate: to be made with the same authenticator, and for no other.
    ///   - origins: whom the credential is meant for; nobody else gets it, after a redirect neither.
    ///   - retryDelay: what a request waits before it is repeated, beyond the refresh.
    ///   - peekLimit: how many bytes of an answer's body the authenticator may see.
    public init(
        gate: RefreshGate, authenticator: any Authenticator, origins: Set<Origin>, retryDelay: Duration = .zero,
        peekLimit: Int = 64 * 1024
    ) {
        self.gate = gate
        self.authenticator = authenticator
        self.origins = origins
        self.retryDelay = retryDelay
        self.peekLimit = peekLimit
    }

    /// An interceptor with a gate of its own.
    ///
    /// - Parameters:
    ///   - scheduler: the gate's; see ``RefreshGate/init(store:authenticator:scheduler:secondsSince1970:settings:)``.
    @preconcurrency
    public convenience init(
        authenticator: any Authenticator, store: any CredentialStore, origins: Set<Origin>,
        scheduler: any SchedulerType,
        secondsSince1970: @escaping @Sendable () -> Double = WallClock.secondsSince1970,
        settings: RefreshGate.Settings = .init(), retryDelay: Duration = .zero
    ) {
        let gate = RefreshGate(
            store: store, authenticator: authenticator, scheduler: scheduler, secondsSince1970: secondsSince1970,
            settings: settings)
        self.init(gate: gate, authenticator: authenticator, origins: origins, retryDelay: retryDelay)
    }

    public func adapt(_ request: Request) -> Single<Request> {
        guard isMeant(for: request) else {
            var request = request
            request.tags[AuthenticationMark.self] = nil
            return .just(request)
        }
        let authenticator = authenticator
        return .create { observer in
            self.gate.acquire(replacing: nil) { result in
                observer(
                    result.map { credential in
                        var adapted = authenticator.apply(credential, to: request)
                        adapted.tags[AuthenticationMark.self] = AuthenticationMark(
                            of: credential, after: request.tags[AuthenticationMark.self])
                        return adapted
                    }.mapError { $0.clientError.about(request, answeredWith: nil) })
            }
        }
    }

    public func retry(_ attempt: Attempt) -> Single<RetryResult> {
        guard let response = attempt.outcome.answer, isMeant(for: attempt.original),
            let mark = attempt.request.tags[AuthenticationMark.self],
            authenticator.isRequest(attempt.request, authenticatedWith: mark.credential),
            authenticator.isExpired(response)
        else { return .just(.doNotRetry) }
        guard mark.replays < gate.settings.maximumReplays else {
            let error = HTTPClientError.refusedAgain(after: mark.replays)
            return .just(.doNotRetryWithError(error.about(attempt.request, answeredWith: response)))
        }
        let delay = retryDelay
        return .create { observer in
            self.gate.acquire(replacing: mark.generation) { result in
                switch result {
                case .success:
                    observer(.success(delay > .zero ? .retryWithDelay(delay) : .retry))
                case .failure(let failure):
                    let error = failure.clientError.about(attempt.request, answeredWith: response)
                    observer(.success(.doNotRetryWithError(error)))
                }
            }
        }
    }

    public func peek(at head: HTTPResponse, of request: Request) -> Peek {
        request.tags[AuthenticationMark.self] != nil && head.status.code >= 400 ? .body(limit: peekLimit) : .nothing
    }

    private func isMeant(for request: Request) -> Bool {
        origins.contains(request.url.origin) && !authenticator.leavesAlone(request)
    }
}

extension Attempt.Outcome {
    /// The answer, or its beginning if it was cut off: a status can be enough.
    fileprivate var answer: Response? {
        switch self {
        case .response(let response): response
        case .failure(let error): (error as? HTTPClientError)?.response
        }
    }
}

/// The note on a request that it carries a credential.
public struct AuthenticationMark: RequestTag, CustomStringConvertible, CustomReflectable {
    let credential: Credential
    /// How often the request was repeated with a newer credential.
    public let replays: Int

    /// Which credential it carries.
    public var generation: Int { credential.generation }

    init(of credential: Credential, after earlier: AuthenticationMark?) {
        self.credential = credential
        replays = earlier.map { $0.generation == credential.generation ? $0.replays : $0.replays + 1 } ?? 0
    }

    public var description: String { "AuthenticationMark(generation \(generation), \(replays) replays)" }
    public var customMirror: Mirror { Mirror(self, children: ["generation": generation, "replays": replays]) }
}

extension HTTPClientError {
    fileprivate func about(_ request: Request, answeredWith response: Response?) -> HTTPClientError {
        var error = self
        error.origin = request.url.origin.description
        error.response = response
        return error
    }
}
