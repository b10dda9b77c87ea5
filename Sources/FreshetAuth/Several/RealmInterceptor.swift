public import FreshetCore
public import FreshetHTTP
public import HTTPTypes

/// Handles several credentials for one origin. The `realm` of the server's challenges selects the credential.
///
///     let realms = RealmInterceptor([(realm: "shop", shop), (realm: "admin", admin)])
///
/// A request to a path with an unknown realm carries no credential, or that of `otherwise`. If the server responds with 401 and
/// names a realm, the request is sent again with the credential of that realm. Later requests at that depth or below carry it
/// at once. Equal realm names of different origins are different realms, and an interceptor handles its own origins only. The
/// server of an origin is trusted with all credentials that are meant for the origin. Source: RFC 9110 sections 11.5 and
/// 11.6.1, RFC 7617 section 2.2.
public final class RealmInterceptor: RequestInterceptor {
    private let members: [(realm: String, interceptor: AuthenticationInterceptor)]
    private let otherwise: AuthenticationInterceptor?
    private let spaces = Locked(ProtectionSpaces())

    /// Creates an interceptor that uses one interceptor for each realm.
    ///
    /// - Parameters:
    ///   - realms: the interceptors by the names of their realms in challenges.
    ///   - otherwise: the interceptor for paths without a known realm.
    public init(
        _ realms: [(realm: String, interceptor: AuthenticationInterceptor)], otherwise: AuthenticationInterceptor? = nil
    ) {
        members = realms
        self.otherwise = otherwise
    }

    public func begin(_ request: inout Request) {
        for member in everybody { member.begin(&request) }
    }

    public func adapt(_ request: inout Request) -> Adaptation {
        let history = request.tags[RealmHistory.self] ?? RealmHistory()
        let realm = spaces.withLock { $0.realm(of: request.url) }
        let chosen = realm.flatMap { member(of: $0, for: request) } ?? otherwise
        for member in everybody where member !== chosen {
            request.tags[AppliedCredential.self] = request.tags[AppliedCredential.self]?.without(member.owner)
        }
        request.tags[RealmHistory.self] = history.continuing(with: chosen)
        return chosen?.adapt(&request) ?? .ready
    }

    public func account(of request: Request) -> AccountResolution {
        if let history = request.tags[RealmHistory.self] { return history.chosen?.account(of: request) ?? .ready(nil) }
        let realm = spaces.withLock { $0.realm(of: request.url) }
        return (realm.flatMap { member(of: $0, for: request) } ?? otherwise)?.account(of: request) ?? .ready(nil)
    }

    public func retry(_ attempt: Attempt) -> Single<RetryResult> {
        guard let history = attempt.request.tags[RealmHistory.self] else { return .just(.doNotRetry) }
        let wanted = realms(wantedBy: attempt)
        // If the request carried the credential of a demanded realm, or if the interceptor knows none of the demanded realms,
        // then the request's own credential has expired.
        if wanted.isEmpty || wanted.contains(where: { $0.interceptor === history.chosen }) {
            return history.chosen?.retry(attempt) ?? .just(.doNotRetry)
        }
        // Each realm is tried once.
        guard let next = wanted.first(where: { !history.hasTried($0.realm) }) else { return .just(.doNotRetry) }
        history.record(next.realm)
        spaces.withLock { $0.learn(next.realm, of: attempt.request.url) }
        return .just(.retry)
    }

    private func realms(
        wantedBy attempt: Attempt
    ) -> [(realm: String, interceptor: AuthenticationInterceptor)] {
        guard case .response(let response) = attempt.outcome, response.status == .unauthorized else { return [] }
        return AuthenticationChallenge.all(in: response.headers).compactMap { challenge in
            guard let realm = challenge["realm"], let member = member(of: realm, for: attempt.original) else {
                return nil
            }
            return (realm, member)
        }
    }

    public func peek(at head: HTTPResponse, of request: Request) -> Peek {
        let peek = request.tags[RealmHistory.self]?.chosen?.peek(at: head, of: request) ?? .nothing
        if peek == .nothing, head.status == .unauthorized, members.contains(where: { $0.interceptor.serves(request) }) {
            // Reading the body lets the connection be reused.
            return .body(limit: 64 * 1024)
        }
        return peek
    }

    public func received(_ head: HTTPResponse, for request: Request) {
        request.tags[RealmHistory.self]?.chosen?.received(head, for: request)
    }

    public func observe(_ attempt: RequestInFlight, of request: Request) -> (any Disposable)? {
        request.tags[RealmHistory.self]?.chosen?.observe(attempt, of: request)
    }

    private var everybody: [AuthenticationInterceptor] {
        members.map(\.interceptor) + (otherwise.map { [$0] } ?? [])
    }

    private func member(of realm: String, for request: Request) -> AuthenticationInterceptor? {
        members.first { $0.realm == realm && $0.interceptor.serves(request) }?.interceptor
    }
}

/// Records on a request which realms it has tried and which interceptor's credential it carries.
private final class RealmHistory: RequestTag {
    let chosen: AuthenticationInterceptor?
    private let tried: Locked<Set<String>>

    init(chosen: AuthenticationInterceptor? = nil, tried: Set<String> = []) {
        self.chosen = chosen
        self.tried = Locked(tried)
    }

    func continuing(with chosen: AuthenticationInterceptor?) -> RealmHistory {
        RealmHistory(chosen: chosen, tried: tried.withLock { $0 })
    }

    func record(_ realm: String) {
        tried.withLock { _ = $0.insert(realm) }
    }

    func hasTried(_ realm: String) -> Bool { tried.withLock { $0.contains(realm) } }
}
