public import FreshetCore
public import FreshetHTTP
public import HTTPTypes

/// Applies a gate's credential to requests to the given origins, and repeats requests that a server refused because the
/// credential had expired.
///
/// If no credential can be obtained, a waiting request fails with an `HTTPClientError` of code `loginRequired`,
/// `refreshFailed`, `refreshStorm` or `store`. Its `underlying` is the error of the refresh, or `SessionEnded` after a logout. Its
/// `response` is the response that the request had received, if any, with the peeked part of the body. All other errors pass
/// unchanged.
///
/// A replay runs through all adapters again. It starts from the request as the caller gave it, and sends the whole body.
/// Requests of every method are replayed, including methods that are not idempotent: a response that reports an expired
/// credential says that the server has refused the request without processing it (RFC 9110 section 15.5.2). If your server
/// processes such requests, configure ``ExpiryRule`` so that it does not match their responses. A request that must not be sent
/// twice (`Request.isOneShot`) is not replayed, and its caller receives the first response. The request's timeout covers
/// waiting, refresh and replay.
///
/// One client can have several of these interceptors, each for its own origins. ``RealmInterceptor`` handles several realms of
/// one origin, and ``AccountInterceptor`` handles several accounts.
/// Source: Alamofire's `AuthenticationInterceptor`.
public final class AuthenticationInterceptor: RequestInterceptor {
    /// The gate that provides the credential.
    public let gate: RefreshGate
    private let authenticator: any Authenticator
    private let origins: Set<Origin>
    /// The origin if there is only one, which is the usual case: comparing is cheaper than hashing.
    private let onlyOrigin: Origin?
    private let paths: PathPrefix
    private let retryDelay: Duration
    private let peekLimit: Int
    /// The largest number of times that a request is sent while its server keeps asking for another proof of possession.
    private static let sendingLimit = 4
    let owner = AppliedCredential.Owner()
    /// The origins that receive no credential, because the connection to them is not encrypted.
    private let exposed: Set<Origin>

    /// Creates an interceptor that shares `gate`, for example with other clients.
    ///
    /// - Parameters:
    ///   - gate: the source of credentials. It must be created with the same authenticator, and used with no other.
    ///   - authenticator: applies the credential to requests, and recognises the responses that report an expired credential.
    ///   - origins: the origins that receive the credential. Other origins never receive it, including after a redirect.
    ///   - pathPrefix: the path below which requests to `origins` receive the credential, such as `/v2`; by default all do.
    ///   - retryDelay: how long a request waits after the refresh before it is repeated.
    ///   - peekLimit: how many bytes of a response's body the authenticator may see.
    ///   - allowsPlainHTTP: whether the credential may be sent over plain http to origins other than this machine. If not, a
    ///     request to such an origin fails with `invalidRequest` before anything is sent. Source: RFC 6750 section 5.3.
    public init(
        gate: RefreshGate, authenticator: any Authenticator, origins: Set<Origin>, pathPrefix: String = "/",
        retryDelay: Duration = .zero, peekLimit: Int = 64 * 1024, allowsPlainHTTP: Bool = false
    ) {
        self.gate = gate
        self.authenticator = authenticator
        self.origins = origins
        onlyOrigin = origins.count == 1 ? origins.first : nil
        paths = PathPrefix(pathPrefix)
        self.retryDelay = retryDelay
        self.peekLimit = peekLimit
        exposed = allowsPlainHTTP ? [] : origins.filter(\.isExposed)
    }

    /// Creates an interceptor with its own gate. The gate does not end with a runtime whose scheduler it has; call its
    /// ``RefreshGate/shutdown()`` then, or give the initializer above a gate that the runtime makes.
    ///
    /// - Parameters:
    ///   - authenticator: the authenticator of the interceptor and of the gate.
    ///   - store: where the gate keeps the credential.
    ///   - origins: the origins that receive the credential.
    ///   - pathPrefix: the path below which requests to `origins` receive the credential.
    ///   - scheduler: the gate's scheduler; see ``RefreshGate/init(store:authenticator:scheduler:secondsSince1970:settings:)``.
    ///   - secondsSince1970: the wall clock that determines expiry.
    ///   - settings: the gate's settings.
    ///   - retryDelay: how long a request waits after the refresh before it is repeated.
    ///   - allowsPlainHTTP: whether the credential may be sent over plain http to origins other than this machine.
    @preconcurrency
    public convenience init(
        authenticator: any Authenticator, store: any CredentialStore, origins: Set<Origin>, pathPrefix: String = "/",
        scheduler: any SchedulerType,
        secondsSince1970: @escaping @Sendable () -> Double = WallClock.secondsSince1970,
        settings: RefreshGate.Settings = .init(), retryDelay: Duration = .zero, allowsPlainHTTP: Bool = false
    ) {
        let gate = RefreshGate(
            store: store, authenticator: authenticator, scheduler: scheduler, secondsSince1970: secondsSince1970,
            settings: settings)
        self.init(
            gate: gate, authenticator: authenticator, origins: origins, pathPrefix: pathPrefix, retryDelay: retryDelay,
            allowsPlainHTTP: allowsPlainHTTP)
    }

    public func adapt(_ request: inout Request) -> Adaptation {
        guard serves(request) else {
            if let applied = request.tags[AppliedCredential.self], applied.generation(by: owner) != nil {
                request.tags[AppliedCredential.self] = applied.without(owner)
            }
            return .ready
        }
        if isExposed(request) { return .failed(HTTPClientError.exposed(request.url.origin)) }
        let generation = request.tags[AppliedCredential.self]?.generation(by: owner)
        let (session, usable) = gate.usable(in: session(of: request), after: generation)
        guard let session else { return .failed(loggedOut(request)) }
        guard let usable else { return .waiting(authenticated(request)) }
        put(usable.credential, of: session, on: &request)
        return .ready
    }

    /// Emits the request with a credential as soon as there is one.
    private func authenticated(_ request: Request) -> Single<Request> {
        .create { observer in
            self.gate.acquire(replacing: nil, waitsForLogin: !request.isOneShot) { result in
                switch result {
                case .success(let credential):
                    // The request can have found a logout of another process itself. It belongs to the next session then.
                    guard let session = self.gate.session(of: credential.generation) else {
                        return observer(.failure(self.loggedOut(request)))
                    }
                    var adapted = request
                    self.put(credential, of: session, on: &adapted)
                    observer(.success(adapted))
                case .failure(let failure):
                    observer(.failure(self.error(failure, of: request)))
                }
            }
        }
    }

    /// Records whether the request has its own credential, and its session. If the user logs out while the request waits, it is
    /// refused, and not sent as the next user.
    public func begin(_ request: inout Request) {
        if request.headers[.authorization] != nil, authenticator.excludes(request), !hasOwnCredential(request) {
            let earlier = request.tags[OwnCredential.self]
            request.tags[OwnCredential.self] = OwnCredential(insteadOfThatOf: owner, after: earlier)
        }
        guard session(of: request) == nil, let session = gate.sessionAtBeginning else { return }
        record(session, on: &request)
    }

    private func session(of request: Request) -> Int? { request.tags[RequestSession.self]?.number(for: owner) }

    private func record(_ session: Int, on request: inout Request) {
        request.tags[RequestSession.self] = RequestSession(session, of: owner, after: request.tags[RequestSession.self])
    }

    /// Whether the session of the request has been logged out.
    private func isOver(_ request: Request) -> Bool {
        session(of: request).map(gate.hasEnded(session:)) ?? false
    }

    private func loggedOut(_ request: Request) -> HTTPClientError {
        error(.loginRequired(.loggedOut), of: request)
    }

    private func error(
        _ failure: RefreshFailure, of request: Request, respondedWith response: Response? = nil
    ) -> HTTPClientError {
        let error = failure.clientError.about(request, respondedWith: response)
        return isOver(request) ? error.afterTheSession : error
    }

    private func isExposed(_ request: Request) -> Bool {
        !exposed.isEmpty && exposed.contains(request.url.origin)
    }

    private func put(_ credential: Credential, of session: Int, on request: inout Request) {
        if session != self.session(of: request) { record(session, on: &request) }
        let plain = request
        request = authenticator.apply(credential, to: plain)
        request.recordSecrets([credential.accessToken, credential.refreshToken].compactMap(\.self), addedTo: plain)
        request.tags[AppliedCredential.self] = AppliedCredential(
            of: credential, by: owner, after: plain.tags[AppliedCredential.self])
    }

    public func retry(_ attempt: Attempt) -> Single<RetryResult> {
        guard let response = attempt.outcome.response, serves(attempt.original),
            let applied = attempt.request.tags[AppliedCredential.self]?.entry(of: owner),
            authenticator.isRequest(attempt.request, authenticatedWith: applied.credential)
        else { return .just(.doNotRetry) }
        if authenticator.demandsNewProof(response) {
            // On the retry, the adapters create the new proof.
            let isTooOften = attempt.number >= Self.sendingLimit || attempt.original.isOneShot
            return .just(isTooOften ? .doNotRetry : .retry)
        }
        if let stepUp = StepUp(response) { return stepUpRequired(stepUp, attempt, applied.credential, response) }
        guard authenticator.isExpired(response) else { return .just(.doNotRetry) }
        if attempt.original.isOneShot {
            // The refresh is for later requests. The caller of this one does not wait for it.
            _ = gate.acquire(replacing: applied.credential.generation) { _ in }
            return .just(.doNotRetry)
        }
        guard applied.replays < gate.settings.maximumReplays else {
            let error = HTTPClientError.refusedAgain(after: applied.replays)
            return .just(.doNotRetryWithError(error.about(attempt.request, respondedWith: response)))
        }
        let delay = retryDelay
        return .create { observer in
            self.gate.acquire(replacing: applied.credential.generation, waitsForLogin: true) { result in
                switch result {
                case .success:
                    observer(.success(delay > .zero ? .retryWithDelay(delay) : .retry))
                case .failure(let failure):
                    let error = self.error(failure, of: attempt.request, respondedWith: response)
                    observer(.success(.doNotRetryWithError(error)))
                }
            }
        }
    }

    private func stepUpRequired(
        _ stepUp: StepUp, _ attempt: Attempt, _ credential: Credential, _ response: Response
    ) -> Single<RetryResult> {
        let abandonedLogins = gate.state.withLock { $0.abandonedLogins }
        gate.stepUpReports.onNext(stepUp)
        let error = HTTPClientError.stepUpRequired(stepUp, response, needsLogin: authenticator.needsLogin)
        let failure = RetryResult.doNotRetryWithError(error)
        switch gate.settings.whenStepUpIsRequired {
        case .deliver: return .just(.doNotRetry)
        case .wait where attempt.number < Self.sendingLimit && !attempt.original.isOneShot:
            return .create { observer in
                self.gate.waitForLogin(
                    insteadOf: credential, since: abandonedLogins, needsAnotherLogin: true
                ) { end in
                    switch end {
                    case .loggedIn: observer(.success(.retry))
                    case .loggedOut, .late: observer(.success(failure))
                    }
                }
            }
        case .fail, .wait: return .just(failure)
        }
    }

    /// The login whose credential `request` carries, or will carry.
    public func account(of request: Request) -> AccountResolution {
        if let applied = request.tags[AppliedCredential.self]?.entry(of: owner) {
            return .ready(RequestAccount(loginID: applied.credential.details.loginID))
        }
        guard serves(request) else { return .ready(nil) }
        let unknown = RequestAccount(loginID: nil)
        let current = gate.current
        // Checked behind the read, because another login can come before it.
        if isOver(request) { return .ready(unknown) }
        if let current { return .ready(RequestAccount(loginID: current.details.loginID)) }
        return .waiting(
            gate.store.load().map { stored in
                self.isOver(request) ? unknown : RequestAccount(loginID: stored.credential?.details.loginID)
            }.catchAndReturn(unknown))
    }

    public func received(_ head: HTTPResponse, for request: Request) {
        guard request.tags[AppliedCredential.self]?.generation(by: owner) != nil else { return }
        authenticator.received(head, from: request.url.origin)
    }

    public func peek(at head: HTTPResponse, of request: Request) -> Peek {
        guard head.status.code >= 400 else { return .nothing }
        return request.tags[AppliedCredential.self]?.generation(by: owner) == nil ? .nothing : .body(limit: peekLimit)
    }

    /// Whether `request` gets the credential.
    func serves(_ request: Request) -> Bool {
        isAmongOrigins(request.url.origin) && paths.contains(request.url) && !authenticator.excludes(request)
            && !hasOwnCredential(request)
    }

    private func hasOwnCredential(_ request: Request) -> Bool {
        request.tags[OwnCredential.self]?.replaces(thatOf: owner) ?? false
    }

    private func isAmongOrigins(_ origin: Origin) -> Bool {
        if let onlyOrigin { onlyOrigin == origin } else { origins.contains(origin) }
    }
}

extension Attempt.Outcome {
    /// The response; if the transfer was cut off, the part that was received, because its status can be enough.
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
