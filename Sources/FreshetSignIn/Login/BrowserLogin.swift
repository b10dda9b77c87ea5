public import FreshetAuth
public import FreshetCore
import FreshetCrypto
public import FreshetHTTP

/// Receives the callbacks of a login by browser, from a listener on this machine or from a person who pastes them.
public protocol CallbackReceiver: Sendable {
    /// Receives callbacks until the result is disposed of.
    ///
    /// - Parameters:
    ///   - ready: called once with the redirect URI, when callbacks can arrive.
    ///   - received: called with each callback. Its result says whether the callback was the expected one.
    ///   - failed: called when no more callbacks can arrive.
    @preconcurrency
    func receive(
        ready: @escaping @Sendable (_ redirectURI: String) -> Void,
        received: @escaping @Sendable (Callback) -> CallbackResult,
        failed: @escaping @Sendable (any Error) -> Void
    ) -> any Disposable
}

/// Whether a callback was the expected one.
public enum CallbackResult: Sendable, Hashable {
    case accepted
    case refused
    /// The callback belongs to another login. The login keeps waiting.
    case ignored
}

/// A login by browser with an authorization code and PKCE. Source: RFC 6749 section 4.1, RFC 7636, RFC 8252, RFC 9207.
///
///     BrowserLogin(server: server, endpoint: endpoint, callbacks: LoopbackReceiver(on: loop), scheduler: loop).events()
///
/// Each subscription is a separate login. A callback of another login is ignored, and the login keeps waiting.
public struct BrowserLogin: Sendable {
    private let server: AuthorizationServer
    private let endpoint: @Sendable (_ redirectURI: String) -> Single<TokenEndpoint>
    private let callbacks: any CallbackReceiver
    private let scope: LoginScope
    private let limit: Duration
    private let requiresAnnouncedPKCE: Bool
    private let scheduler: any SchedulerType
    private let secondsSince1970: @Sendable () -> Double

    /// - Parameters:
    ///   - server: the metadata of the server at which the person logs in.
    ///   - endpoint: the token endpoint of the server, with the client.
    ///   - callbacks: receives the callbacks: a ``LoopbackReceiver`` or a ``PasteReceiver``.
    ///   - scope: the scope of the login.
    ///   - limit: the time for the person. The default of 10 minutes is the longest lifetime of a code (RFC 6749 section
    ///     4.1.2).
    ///   - requiresAnnouncedPKCE: whether a server is refused whose metadata do not name the PKCE methods that it supports. The
    ///     specification of MCP demands this. It is off by default, because servers such as Entra ID support PKCE and do not
    ///     announce it. A server that announces methods without S256 is always refused.
    ///   - scheduler: the clock of the limit.
    ///   - secondsSince1970: the wall clock.
    @preconcurrency
    public init(
        server: AuthorizationServer, endpoint: TokenEndpoint, callbacks: any CallbackReceiver,
        scope: LoginScope = LoginScope(), limit: Duration = .seconds(600),
        requiresAnnouncedPKCE: Bool = false, scheduler: any SchedulerType,
        secondsSince1970: @escaping @Sendable () -> Double = WallClock.secondsSince1970
    ) {
        self.init(
            server: server, callbacks: callbacks, scope: scope, limit: limit,
            requiresAnnouncedPKCE: requiresAnnouncedPKCE, scheduler: scheduler,
            secondsSince1970: secondsSince1970
        ) { _ in .just(endpoint) }
    }

    /// Creates a login of a client that is known only after the redirect URI, such as a client that has to register first.
    ///
    /// - Parameters:
    ///   - server: the metadata of the server at which the person logs in.
    ///   - callbacks: receives the callbacks: a ``LoopbackReceiver`` or a ``PasteReceiver``.
    ///   - scope: the scope of the login.
    ///   - limit: the time for the person.
    ///   - requiresAnnouncedPKCE: whether a server is refused whose metadata do not name the PKCE methods that it supports. The
    ///     specification of MCP demands this. It is off by default, because servers such as Entra ID support PKCE and do not
    ///     announce it. A server that announces methods without S256 is always refused.
    ///   - scheduler: the clock of the limit.
    ///   - secondsSince1970: the wall clock.
    ///   - endpoint: returns the token endpoint, with a client that may use the redirect URI.
    @preconcurrency
    public init(
        server: AuthorizationServer, callbacks: any CallbackReceiver, scope: LoginScope = LoginScope(),
        limit: Duration = .seconds(600),
        requiresAnnouncedPKCE: Bool = false, scheduler: any SchedulerType,
        secondsSince1970: @escaping @Sendable () -> Double = WallClock.secondsSince1970,
        endpoint: @escaping @Sendable (_ redirectURI: String) -> Single<TokenEndpoint>
    ) {
        self.server = server
        self.endpoint = endpoint
        self.callbacks = callbacks
        self.scope = scope
        self.limit = limit
        self.requiresAnnouncedPKCE = requiresAnnouncedPKCE
        self.scheduler = scheduler
        self.secondsSince1970 = secondsSince1970
    }

    /// Emits the address for the browser, each ignored callback, and then the credential.
    ///
    /// Fails with an `HTTPClientError` of code `timeout` after the limit, `accessDenied` when the person refuses,
    /// `issuerMismatch` when another server has sent the callback, `discovery` when the server does not support PKCE or accepts
    /// only pushed authorization requests, or `cancelled` when the client is shut down.
    public func events() -> Observable<LoginEvent> {
        .deferred {
            if let methods = server.codeChallengeMethods, !methods.contains("S256") {
                throw HTTPClientError.discovery("\(server.issuer) does not accept PKCE with S256")
            }
            if requiresAnnouncedPKCE, server.codeChallengeMethods == nil {
                throw HTTPClientError.discovery(
                    "\(server.issuer) does not announce PKCE (code_challenge_methods_supported)")
            }
            if server.document?["require_pushed_authorization_requests"] == .bool(true) {
                var error = HTTPClientError.discovery(
                    "\(server.issuer) accepts only pushed authorization requests (RFC 9126), which this login does not send"
                )
                error.recoverySuggestion = "log in by device if the server allows that, or let its owner accept others"
                throw error
            }
            return attempts().flatMap { step -> Observable<LoginEvent> in
                switch step {
                case .event(let event): return .just(event)
                case .code(let code, let attempt):
                    return exchange(code, attempt).map { .credential($0) }.asObservable()
                }
            }
        }
    }

    private enum Step: Sendable {
        case event(LoginEvent)
        case code(String, Attempt)
    }

    /// The state of one login.
    private struct Attempt: Sendable {
        let request: AuthorizationRequest
        let endpoint: TokenEndpoint
        /// The private key to which the tokens are bound; `nil` if they are bound to none.
        let key: String?
    }

    /// Emits the events of the wait, then the code, and completes.
    private func attempts() -> Observable<Step> {
        .create { observer in
            let current = Locked<Attempt?>(nil)
            let registering = SingleAssignmentDisposable()
            let closing = SingleAssignmentDisposable()
            let receiving = callbacks.receive(
                ready: { redirectURI in
                    registering.setDisposable(
                        attempt(redirectURI).subscribe(
                            onSuccess: { attempt in
                                current.withLock { $0 = attempt }
                                closing.setDisposable(
                                    attempt.endpoint.closing.subscribe { _ in
                                        observer.onError(HTTPClientError.loginCancelled)
                                    })
                                let expiresAt = secondsSince1970() + limit / .seconds(1)
                                observer.onNext(.event(.browser(url: attempt.request.url, expiresAt: expiresAt)))
                            }, onFailure: { observer.onError($0) }))
                },
                received: { callback in
                    guard let attempt = current.withLock({ $0 }) else { return .ignored }
                    switch attempt.request.verdict(on: callback) {
                    case .ignored(let reason):
                        observer.onNext(.event(.ignored(reason)))
                        return .ignored
                    case .failed(let error):
                        observer.onError(error)
                        return .refused
                    case .code(let code):
                        observer.onNext(.code(code, attempt))
                        observer.onCompleted()
                        return .accepted
                    }
                }, failed: { observer.onError($0) })
            let deadline = scheduler.scheduleRelative((), dueTime: limit) {
                observer.onError(
                    HTTPClientError.loginTimeout("nobody has logged in within \(limit)"))
                return Disposables.create()
            }
            return Disposables.create(receiving, registering, closing, deadline)
        }
    }

    private func attempt(_ redirectURI: String) -> Single<Attempt> {
        endpoint(redirectURI).map { endpoint in
            let key = try endpoint.proofOfPossession?.newKey()
            let request = try AuthorizationRequest(
                to: server, clientID: endpoint.clientID, redirectURI: redirectURI, scope: scope,
                keyThumbprint: try key.map { try SigningKey(pem: $0).thumbprint })
            return Attempt(request: request, endpoint: endpoint, key: key)
        }
    }

    private func exchange(_ code: String, _ attempt: Attempt) -> Single<Credential> {
        let fields = [
            (name: "grant_type", value: "authorization_code"), (name: "code", value: code),
            (name: "redirect_uri", value: attempt.request.redirectURI),
            (name: "code_verifier", value: attempt.request.pkce.verifier),
        ]
        return attempt.endpoint.send(fields + scope.resources.map { ("resource", $0) }, key: attempt.key)
            .map { try attempt.endpoint.credential(in: $0, key: attempt.key) }
    }
}
