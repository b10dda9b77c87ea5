public import FreshetAuth
public import FreshetCore
import FreshetCrypto
public import FreshetHTTP

/// Brings the callbacks of a login by browser: a listener on this machine, or a person who pastes them.
public protocol CallbackReceiver: Sendable {
    /// Receives callbacks until it is disposed of.
    ///
    /// - Parameters:
    ///   - ready: called once with the redirect URI, when callbacks can come.
    ///   - received: called with each callback; the result says whether it was the expected one.
    ///   - failed: called when no callback can come any more.
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
    /// It belongs to another login; the wait goes on.
    case ignored
}

/// A login by browser: an authorization code with PKCE. Source: RFC 6749 section 4.1, RFC 7636, RFC 8252, RFC 9207.
///
///     BrowserLogin(server: server, endpoint: endpoint, callbacks: LoopbackReceiver(on: loop), scheduler: loop).events()
///
/// Each subscription is a login of its own. A callback that belongs to another login is ignored, and the wait goes on.
public struct BrowserLogin: Sendable {
    private let server: AuthorizationServer
    private let endpoint: TokenEndpoint
    private let callbacks: any CallbackReceiver
    private let scope: LoginScope
    private let limit: Duration
    private let scheduler: any SchedulerType
    private let secondsSince1970: @Sendable () -> Double

    /// - Parameters:
    ///   - server: where the person logs in, by its metadata.
    ///   - endpoint: its token endpoint, with the client.
    ///   - callbacks: brings the callbacks: a ``LoopbackReceiver`` or a ``PasteReceiver``.
    ///   - scope: what is asked for.
    ///   - limit: the time for the person; 10 minutes, the longest life of a code (RFC 6749 section 4.1.2).
    ///   - scheduler: the clock of the limit.
    ///   - secondsSince1970: the wall clock.
    @preconcurrency
    public init(
        server: AuthorizationServer, endpoint: TokenEndpoint, callbacks: any CallbackReceiver,
        scope: LoginScope = LoginScope(), limit: Duration = .seconds(600), scheduler: any SchedulerType,
        secondsSince1970: @escaping @Sendable () -> Double = WallClock.secondsSince1970
    ) {
        self.server = server
        self.endpoint = endpoint
        self.callbacks = callbacks
        self.scope = scope
        self.limit = limit
        self.scheduler = scheduler
        self.secondsSince1970 = secondsSince1970
    }

    /// Emits the address for the browser, each ignored callback, and then the credential.
    ///
    /// Fails with an `HTTPClientError`: with code `timeout` after the limit, `accessDenied` when the person refuses,
    /// `issuerMismatch` when another server has sent the callback, `discovery` when the server does not know PKCE.
    public func events() -> Observable<LoginEvent> {
        .deferred {
            if let methods = server.codeChallengeMethods, !methods.contains("S256") {
                throw HTTPClientError.discovery("\(server.issuer) does not accept PKCE with S256")
            }
            let key = try endpoint.proofOfPossession?.newKey()
            return attempts(key: key).flatMap { step -> Observable<LoginEvent> in
                switch step {
                case .event(let event): return .just(event)
                case .code(let code, let request):
                    return exchange(code, for: request, key: key).map { .credential($0) }.asObservable()
                }
            }
        }
    }

    private enum Step: Sendable {
        case event(LoginEvent)
        case code(String, AuthorizationRequest)
    }

    /// Ends with the code.
    private func attempts(key: String?) -> Observable<Step> {
        .create { observer in
            let attempt = Locked<AuthorizationRequest?>(nil)
            let receiving = callbacks.receive(
                ready: { redirectURI in
                    do {
                        let request = try AuthorizationRequest(
                            to: server, clientID: endpoint.clientID, redirectURI: redirectURI, scope: scope,
                            keyThumbprint: try key.map { try SigningKey(pem: $0).thumbprint })
                        attempt.withLock { $0 = request }
                        let expiresAt = secondsSince1970() + limit / .seconds(1)
                        observer.onNext(.event(.browser(url: request.url, expiresAt: expiresAt)))
                    } catch {
                        observer.onError(error)
                    }
                },
                received: { callback in
                    guard let request = attempt.withLock({ $0 }) else { return .ignored }
                    switch request.judge(callback) {
                    case .ignored(let reason):
                        observer.onNext(.event(.ignored(reason)))
                        return .ignored
                    case .failed(let error):
                        observer.onError(error)
                        return .refused
                    case .code(let code):
                        observer.onNext(.code(code, request))
                        observer.onCompleted()
                        return .accepted
                    }
                }, failed: { observer.onError($0) })
            let deadline = scheduler.scheduleRelative((), dueTime: limit) {
                observer.onError(
                    HTTPClientError.loginTimeout("nobody has logged in within \(limit.components.seconds) s"))
                return Disposables.create()
            }
            return Disposables.create(receiving, deadline)
        }
    }

    private func exchange(
        _ code: String, for request: AuthorizationRequest, key: String?
    ) -> Single<Credential> {
        let fields = [
            (name: "grant_type", value: "authorization_code"), (name: "code", value: code),
            (name: "redirect_uri", value: request.redirectURI), (name: "code_verifier", value: request.pkce.verifier),
        ]
        return endpoint.send(fields + scope.resources.map { ("resource", $0) }, key: key)
            .map { try endpoint.credential(in: $0, key: key) }
    }
}
