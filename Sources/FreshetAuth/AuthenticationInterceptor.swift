public import FreshetCore
public import FreshetHTTP
public import HTTPTypes

/// Puts a gate's credential on requests to named origins, and repeats those that a server refused because it had ended.
///
/// A request that waits fails, if there is no credential to be had, with an `HTTPClientError` of code `loginRequired`,
/// `refreshFailed`, `refreshStorm` or `store`; its `underlying` is the refresh's error, and its `response` the answer that
/// the request had got, with its body as far as it was peeked at. Everything else passes untouched.
///
/// A replay runs through all adapters again, from the request as the caller gave it, and has the whole body. Requests of
/// every method are replayed, those too that are not idempotent: an answer with the sign of an ended credential says that
/// the server has refused the request unprocessed (RFC 9110 section 15.5.2). Where yours has not, let ``ExpiryRule`` not
/// say so. One that must not be sent twice (`Request.isOneShot`) is not: its caller gets the first answer. The request's
/// timeout covers waiting, refresh and replay.
///
/// Several can stand in one client, each for its own origins; see ``RealmInterceptor`` for several realms of one origin, and
/// ``AccountInterceptor`` for several accounts.
/// Source: Alamofire's `AuthenticationInterceptor`.
public final class AuthenticationInterceptor: RequestInterceptor {
    /// What it takes the credential from.
    public let gate: RefreshGate
    private let authenticator: any Authenticator
    private let origins: Set<Origin>
    /// Most have one, and comparing is less than hashing.
    private let onlyOrigin: Origin?
    private let retryDelay: Duration
    private let peekLimit: Int
    /// How often a request is sent whose server asks for one proof of possession after the other.
    private static let sendingLimit = 4
    let owner = AppliedCredential.Owner()
    /// Those of the origins that get no credential, for everybody on the way could read it.
    private let exposed: Set<Origin>

    /// An interceptor that shares `gate`, with other clients say.
    ///
    /// - Parameters:
    ///   - gate: to be made with the same authenticator, and for no other.
    ///   - authenticator: puts the credential on requests, and knows the answers which say that it has ended.
    ///   - origins: whom the credential is meant for; nobody else gets it, after a redirect neither.
    ///   - retryDelay: what a request waits before it is repeated, beyond the refresh.
    ///   - peekLimit: how many bytes of an answer's body the authenticator may see.
    ///   - allowsPlainHTTP: whether the credential may go over plain http to origins that are not this machine. If not,
    ///     a request to one of them fails with `invalidRequest` before anything is sent. Source: RFC 6750 section 5.3.
    public init(
        gate: RefreshGate, authenticator: any Authenticator, origins: Set<Origin>, retryDelay: Duration = .zero,
        peekLimit: Int = 64 * 1024, allowsPlainHTTP: Bool = false
    ) {
        self.gate = gate
        self.authenticator = authenticator
        self.origins = origins
        onlyOrigin = origins.count == 1 ? origins.first : nil
        self.retryDelay = retryDelay
        self.peekLimit = peekLimit
        exposed = allowsPlainHTTP ? [] : origins.filter(\.isExposed)
    }

    /// An interceptor with a gate of its own.
    ///
    /// - Parameters:
    ///   - authenticator: the gate's too.
    ///   - store: where the gate keeps the credential.
    ///   - origins: whom the credential is meant for.
    ///   - scheduler: the gate's; see ``RefreshGate/init(store:authenticator:scheduler:secondsSince1970:settings:)``.
    ///   - secondsSince1970: the wall clock, which expiry is measured by.
    ///   - settings: the gate's.
    ///   - retryDelay: what a request waits before it is repeated, beyond the refresh.
    ///   - allowsPlainHTTP: whether the credential may go over plain http to origins that are not this machine.
    @preconcurrency
    public convenience init(
        authenticator: any Authenticator, store: any CredentialStore, origins: Set<Origin>,
        scheduler: any SchedulerType,
        secondsSince1970: @escaping @Sendable () -> Double = WallClock.secondsSince1970,
        settings: RefreshGate.Settings = .init(), retryDelay: Duration = .zero, allowsPlainHTTP: Bool = false
    ) {
        let gate = RefreshGate(
            store: store, authenticator: authenticator, scheduler: scheduler, secondsSince1970: secondsSince1970,
            settings: settings)
        self.init(
            gate: gate, authenticator: authenticator, origins: origins, retryDelay: retryDelay,
            allowsPlainHTTP: allowsPlainHTTP)
    }

    public func adapt(_ request: inout Request) -> Adaptation {
        guard serves(request) else {
            if let mark = request.tags[AppliedCredential.self], mark.generation(by: owner) != nil {
                request.tags[AppliedCredential.self] = mark.without(owner)
            }
            return .ready
        }
        if isExposed(request) { return .failed(HTTPClientError.exposed(request.url.origin)) }
        guard let usable = gate.usable() else { return .waiting(authenticated(request)) }
        put(usable.credential, on: &request)
        return .ready
    }

    /// The request with a credential, once there is one.
    private func authenticated(_ request: Request) -> Single<Request> {
        .create { observer in
            self.gate.acquire(replacing: nil, waitsForLogin: !request.isOneShot) { result in
                switch result {
                case .success(let credential):
                    var adapted = request
                    self.put(credential, on: &adapted)
                    observer(.success(adapted))
                case .failure(let failure):
                    observer(.failure(failure.clientError.about(request, respondedWith: nil)))
                }
            }
        }
    }

    private func isExposed(_ request: Request) -> Bool {
        !exposed.isEmpty && exposed.contains(request.url.origin)
    }

    private func put(_ credential: Credential, on request: inout Request) {
        let earlier = request.tags[AppliedCredential.self]
        request = authenticator.apply(credential, to: request)
        request.tags[AppliedCredential.self] = AppliedCredential(of: credential, by: owner, after: earlier)
    }

    public func retry(_ attempt: Attempt) -> Single<RetryResult> {
        guard let response = attempt.outcome.response, serves(attempt.original),
            let mark = attempt.request.tags[AppliedCredential.self]?.entry(of: owner),
            authenticator.isRequest(attempt.request, authenticatedWith: mark.credential)
        else { return .just(.doNotRetry) }
        if authenticator.demandsNewProof(response) {
            // The adapters make it.
            let isTooOften = attempt.number >= Self.sendingLimit || attempt.original.isOneShot
            return .just(isTooOften ? .doNotRetry : .retry)
        }
        if let stepUp = StepUp(response) { return stepUpRequired(stepUp, attempt, mark.credential, response) }
        guard authenticator.isExpired(response) else { return .just(.doNotRetry) }
        if attempt.original.isOneShot {
            // The next request finds the new one; this one's caller need not wait for it.
            _ = gate.acquire(replacing: mark.credential.generation) { _ in }
            return .just(.doNotRetry)
        }
        guard mark.replays < gate.settings.maximumReplays else {
            let error = HTTPClientError.refusedAgain(after: mark.replays)
            return .just(.doNotRetryWithError(error.about(attempt.request, respondedWith: response)))
        }
        let delay = retryDelay
        return .create { observer in
            self.gate.acquire(replacing: mark.credential.generation, waitsForLogin: true) { result in
                switch result {
                case .success:
                    observer(.success(delay > .zero ? .retryWithDelay(delay) : .retry))
                case .failure(let failure):
                    let error = failure.clientError.about(attempt.request, respondedWith: response)
                    observer(.success(.doNotRetryWithError(error)))
                }
            }
        }
    }

    private func stepUpRequired(
        _ stepUp: StepUp, _ attempt: Attempt, _ credential: Credential, _ response: Response
    ) -> Single<RetryResult> {
        gate.stepUpReports.onNext(stepUp)
        let failure = RetryResult.doNotRetryWithError(HTTPClientError.stepUpRequired(stepUp, response))
        switch gate.settings.whenStepUpIsRequired {
        case .deliver: return .just(.doNotRetry)
        case .wait where attempt.number < Self.sendingLimit && !attempt.original.isOneShot:
            return .create { observer in
                self.gate.waitForLogin(insteadOf: credential, needsAnotherLogin: true) { end in
                    switch end {
                    case .loggedIn: observer(.success(.retry))
                    case .loggedOut, .late: observer(.success(failure))
                    }
                }
            }
        case .fail, .wait: return .just(failure)
        }
    }

    public func received(_ head: HTTPResponse, for request: Request) {
        guard request.tags[AppliedCredential.self]?.generation(by: owner) != nil else { return }
        authenticator.received(head, from: request.url.origin)
    }

    public func peek(at head: HTTPResponse, of request: Request) -> Peek {
        guard head.status.code >= 400 else { return .nothing }
        return request.tags[AppliedCredential.self]?.generation(by: owner) == nil ? .nothing : .body(limit: peekLimit)
    }

    /// Whether the credential is for `request`.
    func serves(_ request: Request) -> Bool {
        isAmongOrigins(request.url.origin) && !authenticator.excludes(request)
    }

    private func isAmongOrigins(_ origin: Origin) -> Bool {
        if let onlyOrigin { onlyOrigin == origin } else { origins.contains(origin) }
    }
}

extension Attempt.Outcome {
    /// The answer, or its beginning if it was cut off: a status can be enough.
    fileprivate var response: Response? {
        switch self {
        case .response(let response): response
        case .failure(let error): (error as? HTTPClientError)?.response
        }
    }
}

extension HTTPClientError {
    fileprivate func about(_ request: Request, respondedWith response: Response?) -> HTTPClientError {
        var error = self
        error.origin = request.url.origin.description
        error.response = response
        return error
    }
}
