public import FreshetCore
public import FreshetHTTP
public import HTTPTypes

/// Handles several accounts, scopes or audiences in one client. Each request carries the credential of the ``CredentialKey`` in
/// its tags. Each key has one gate, however many first requests arrive at the same time.
///
///     let accounts = AccountInterceptor { key in
///         let store = runtime.fileStore("\(directory)/\(key.name)")
///         return AuthenticationInterceptor(
///             gate: runtime.gate(store: store, authenticator: authenticator), authenticator: authenticator, origins: origins)
///     }
///     request.tags[CredentialKey.self] = CredentialKey(account: "anna", scopes: ["read"])
///
/// If there is no default key, a request without a key passes unchanged. Can be used from any thread.
public final class AccountInterceptor: RequestInterceptor {
    private let make: @Sendable (CredentialKey) throws -> AuthenticationInterceptor
    private let standard: CredentialKey?
    private let members: Locked<MemberTable>

    /// Creates an interceptor that calls `make` when a key is used for the first time.
    ///
    /// - Parameters:
    ///   - defaultKey: the key of requests without one.
    ///   - maximumCount: the largest number of keys that are kept. Beyond it, keys with an expired credential are dropped
    ///     first, then the least recently used keys. A key in use is never dropped: it is in use from the beginning of a request
    ///     to its end, with all attempts, waits and reconnections. If more keys are in use, the number returns to the maximum
    ///     at later uses of keys. A key whose store is not ``CredentialStore/isPersistent`` is never dropped either, because it
    ///     would lose its credential. The next use of a dropped key creates another interceptor, which reads the key's store.
    ///   - make: creates the interceptor of a key, with a store for this key only. If two are created at the same time, the
    ///     second one is dropped, so creating one must not have side effects.
    @preconcurrency
    public init(
        defaultKey: CredentialKey? = nil, maximumCount: Int = 10_000,
        make: @escaping @Sendable (CredentialKey) throws -> AuthenticationInterceptor
    ) {
        members = Locked(MemberTable(maximumCount: maximumCount))
        standard = defaultKey
        self.make = make
    }

    /// Returns the interceptor of `key`. It is the same one until it is removed or dropped.
    public func interceptor(for key: CredentialKey) throws -> AuthenticationInterceptor {
        try member(for: key).interceptor
    }

    private func member(for key: CredentialKey) throws -> AccountMember {
        // The dropped ones are released outside of the lock.
        let (known, dropped) = members.withLock { $0.use(key) }
        _ = dropped
        if let known { return known }
        let made = AccountMember(key: key, interceptor: try make(key))
        let (member, others) = members.withLock { members -> (AccountMember, [AccountMember]) in
            if let member = members.find(key) { return (member, []) }
            return (made, members.insert(made))
        }
        _ = others
        return member
    }

    /// Returns the gate of `key`, which logs in and out. Call it for each use, and keep no gate: when the interceptor of the key has
    /// been removed or dropped, its requests use another gate, which does not know what the old one does.
    public func gate(for key: CredentialKey) throws -> RefreshGate { try interceptor(for: key).gate }

    /// The keys that have been used and not removed since.
    public var keys: Set<CredentialKey> { members.withLock { $0.keys } }

    /// Removes the interceptor of `key`, for example after a logout. Requests in flight are no longer refreshed. The next use
    /// of the key creates another interceptor.
    ///
    /// - Returns: whether there was one.
    @discardableResult
    public func remove(_ key: CredentialKey) -> Bool {
        members.withLock { $0.remove(key) } != nil
    }

    public func begin(_ request: inout Request) {
        guard let key = key(of: request) else { return }
        // An interceptor that can't be made fails the request when it is sent.
        try? interceptor(for: key, of: &request).begin(&request)
    }

    public func adapt(_ request: inout Request) -> Adaptation {
        guard let key = key(of: request) else { return .ready }
        do {
            return try interceptor(for: key, of: &request).adapt(&request)
        } catch {
            return .failed(error)
        }
    }

    public func account(of request: Request) -> AccountResolution {
        guard let key = key(of: request) else { return .ready(nil) }
        var request = request
        return (try? interceptor(for: key, of: &request))?.account(of: request) ?? .ready(RequestAccount(loginID: nil))
    }

    public func retry(_ attempt: Attempt) -> Single<RetryResult> {
        member(of: attempt.request)?.retry(attempt) ?? .just(.doNotRetry)
    }

    public func peek(at head: HTTPResponse, of request: Request) -> Peek {
        member(of: request)?.peek(at: head, of: request) ?? .nothing
    }

    public func received(_ head: HTTPResponse, for request: Request) {
        member(of: request)?.received(head, for: request)
    }

    public func observe(_ attempt: RequestInFlight, of request: Request) -> (any Disposable)? {
        member(of: request)?.observe(attempt, of: request)
    }

    private func key(of request: Request) -> CredentialKey? { request.tags[CredentialKey.self] ?? standard }

    /// Returns the interceptor with which `request` began, also if it has been removed since: it knows of a logout in between. A
    /// request that has not begun with `key` begins with it now.
    private func interceptor(for key: CredentialKey, of request: inout Request) throws -> AuthenticationInterceptor {
        let earlier = request.tags[BeganWith.self]
        if let member = earlier?.member(of: self), member.key == key { return member.interceptor }
        let member = try member(for: key)
        request.tags[BeganWith.self] = BeganWith(member, of: self, after: earlier)
        return member.interceptor
    }

    /// Returns the interceptor of `request`, unless its key has been removed.
    private func member(of request: Request) -> AuthenticationInterceptor? {
        guard let key = key(of: request), let current = members.withLock({ $0.find(key) }) else { return nil }
        let began = request.tags[BeganWith.self]?.member(of: self)
        return (began?.key == key ? began : nil)?.interceptor ?? current.interceptor
    }
}

/// The members with which a request began, one for each ``AccountInterceptor``. They are in use as long as the request has this tag.
private struct BeganWith: RequestTag {
    private typealias Entry = (accounts: AccountInterceptor, member: AccountMember)

    private var latest: Entry
    /// Those of other interceptors. Most requests have none.
    private var others: [Entry] = []

    init(_ member: AccountMember, of accounts: AccountInterceptor, after earlier: BeganWith?) {
        latest = (accounts, member)
        if let earlier { others = ([earlier.latest] + earlier.others).filter { $0.accounts !== accounts } }
    }

    func member(of accounts: AccountInterceptor) -> AccountMember? {
        latest.accounts === accounts ? latest.member : others.first { $0.accounts === accounts }?.member
    }
}
