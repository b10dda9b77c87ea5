public import FreshetCore
public import FreshetHTTP
public import HTTPTypes

/// Several accounts, scopes or audiences in one client: each request carries the credential of the ``CredentialKey`` that is
/// noted on it, and each key has one gate, however many requests come first at once.
///
///     let accounts = AccountInterceptor { key in
///         let store = runtime.fileStore("\(directory)/\(key.name)")
///         return AuthenticationInterceptor(
///             gate: runtime.gate(store: store, authenticator: authenticator), authenticator: authenticator, origins: origins)
///     }
///     request.tags[CredentialKey.self] = CredentialKey(account: "anna", scopes: ["read"])
///
/// A request without a key, if there is no default one, passes untouched. Can be used from any thread.
public final class AccountInterceptor: RequestInterceptor {
    private let make: @Sendable (CredentialKey) throws -> AuthenticationInterceptor
    private let standard: CredentialKey?
    private let members: Locked<MemberTable>

    /// An interceptor that has `make` serve each key, once the key is used.
    ///
    /// - Parameters:
    ///   - defaultKey: that of requests with none.
    ///   - maximumCount: the largest number of keys that are kept. Beyond it, those with an expired credential are dropped first
    ///     and then the least recently used ones; never one in use, nor one with a ``MemoryStore``, which would lose its
    ///     credential. The next use of a dropped key makes another interceptor, which reads the key's store.
    ///   - make: what serves a key, with a store of the key's own. Of two that are made at the same time the one that comes
    ///     second is dropped, so making one should do nothing yet.
    @preconcurrency
    public init(
        defaultKey: CredentialKey? = nil, maximumCount: Int = 10_000,
        make: @escaping @Sendable (CredentialKey) throws -> AuthenticationInterceptor
    ) {
        members = Locked(MemberTable(maximumCount: maximumCount))
        standard = defaultKey
        self.make = make
    }

    /// The interceptor of `key`: always the same one, until it is removed or dropped.
    public func interceptor(for key: CredentialKey) throws -> AuthenticationInterceptor {
        if let member = members.withLock({ $0.use(key) }) { return member }
        let made = try make(key)
        // The dropped ones are released outside of the lock.
        let (member, dropped) = members.withLock {
            members -> (AuthenticationInterceptor, [AuthenticationInterceptor]) in
            if let member = members.use(key) { return (member, []) }
            return (made, members.insert(made, for: key))
        }
        _ = dropped
        return member
    }

    /// The gate to the credential of `key`: to log in and out with.
    public func gate(for key: CredentialKey) throws -> RefreshGate { try interceptor(for: key).gate }

    /// Which keys have been used, and not removed since.
    public var keys: Set<CredentialKey> { members.withLock { $0.keys } }

    /// Forgets what serves `key`, after a logout say; what is in flight is not refreshed any more. The next use makes
    /// another.
    ///
    /// - Returns: whether there was one.
    @discardableResult
    public func remove(_ key: CredentialKey) -> Bool {
        members.withLock { $0.remove(key) } != nil
    }

    public func adapt(_ request: inout Request) -> Adaptation {
        guard let key = request.tags[CredentialKey.self] ?? standard else { return .ready }
        do {
            return try interceptor(for: key).adapt(&request)
        } catch {
            return .failed(error)
        }
    }

    public func retry(_ attempt: Attempt) -> Single<RetryResult> {
        member(of: attempt.request)?.retry(attempt) ?? .just(.doNotRetry)
    }

    public func peek(at head: HTTPResponse, of request: Request) -> Peek {
        member(of: request)?.peek(at: head, of: request) ?? .nothing
    }

    public func watch(_ attempt: RequestInFlight, of request: Request) -> (any Disposable)? {
        member(of: request)?.watch(attempt, of: request)
    }

    /// Who serves `request`, unless it was removed since.
    private func member(of request: Request) -> AuthenticationInterceptor? {
        guard let key = request.tags[CredentialKey.self] ?? standard else { return nil }
        return members.withLock { $0.find(key) }
    }
}
