public import FreshetCore
public import FreshetHTTP
public import HTTPTypes

/// Several credentials for one origin, of which the server's challenges choose by their `realm`.
///
///     let realms = RealmInterceptor([(realm: "shop", shop), (realm: "admin", admin)])
///
/// A request to a path of which nothing is known yet goes without a credential, or with that of `otherwise`; if the server
/// then answers 401 and names a realm, it goes again with that realm's, and so does at once what is asked for at that depth
/// or below from then on. A realm is another one for each origin; an interceptor serves its own origins only. The server of
/// an origin is trusted with all credentials that are meant for the origin. Source: RFC 9110 sections 11.5 and 11.6.1, RFC
/// 7617 section 2.2.
public final class RealmInterceptor: RequestInterceptor {
    private let members: [(realm: String, interceptor: AuthenticationInterceptor)]
    private let otherwise: AuthenticationInterceptor?
    private let spaces = Locked(ProtectionSpaces())

    /// An interceptor that leaves each realm to its own.
    ///
    /// - Parameters:
    ///   - realms: who serves which realm, by its name in the challenge.
    ///   - otherwise: serves paths of which no realm is known.
    public init(
        _ realms: [(realm: String, interceptor: AuthenticationInterceptor)], otherwise: AuthenticationInterceptor? = nil
    ) {
        members = realms
        self.otherwise = otherwise
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

    public func retry(_ attempt: Attempt) -> Single<RetryResult> {
        guard let history = attempt.request.tags[RealmHistory.self] else { return .just(.doNotRetry) }
        let wanted = realms(wantedBy: attempt)
        // It went with what is wanted, or nothing that is known is wanted: then that which it went with has ended.
        if wanted.isEmpty || wanted.contains(where: { $0.interceptor === history.chosen }) {
            return history.chosen?.retry(attempt) ?? .just(.doNotRetry)
        }
        // Each is tried once.
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
            // What comes of it lets the connection be used again.
            return .body(limit: 64 * 1024)
        }
        return peek
    }

    public func watch(_ attempt: RequestInFlight, of request: Request) -> (any Disposable)? {
        request.tags[RealmHistory.self]?.chosen?.watch(attempt, of: request)
    }

    private var everybody: [AuthenticationInterceptor] {
        members.map(\.interceptor) + (otherwise.map { [$0] } ?? [])
    }

    private func member(of realm: String, for request: Request) -> AuthenticationInterceptor? {
        members.first { $0.realm == realm && $0.interceptor.serves(request) }?.interceptor
    }
}

/// The note on a request of which realms it went to, and with whose credential it goes.
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
