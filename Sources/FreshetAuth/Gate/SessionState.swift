public import FreshetCore
import FreshetHTTP

/// The state of the session when a program starts.
public enum SessionState: String, Sendable, Hashable {
    /// The store has a credential, and it works.
    case signedIn
    /// The stored credential had expired, and has been refreshed.
    case refreshed
    /// The stored credential has expired and could not be refreshed now, but no refresh was refused. It is kept.
    case refreshable
    case loginRequired
}

extension RefreshGate {
    /// Emits the state of the session once, for use at the launch of an app: whether there is a credential, whether it still
    /// works, whether it can be refreshed, or whether a login is required.
    ///
    /// ``loginRequired`` emits meanwhile as it does for a request. After a state of ``SessionState/loginRequired`` the next
    /// request that needs a login emits again, so that a later subscriber learns of it.
    ///
    /// Fails with an `HTTPClientError` of code `store` if the store cannot be read or written, and of code `refreshStorm` if
    /// more refreshes were needed than the limits allow. Nothing is retried.
    public func session() -> Single<SessionState> {
        session { _ in .just(()) }
    }

    /// Emits the state of the session as ``session()`` does, after `probe` has asked a server whether the credential works.
    ///
    /// - Parameters:
    ///   - isExpired: whether an error of `probe` reports an expired credential; by default the gate's setting. The result
    ///     fails with any other error of `probe`.
    ///   - probe: asks the server.
    @preconcurrency
    public func session(
        isExpired: (@Sendable (any Error) -> Bool)? = nil,
        checking probe: @escaping @Sendable (Credential) throws -> Single<Void>
    ) -> Single<SessionState> {
        store.load().mapError { RefreshFailure.store($0).clientError }.flatMap { [self] stored in
            withCredential(isExpired: isExpired, waitsForLogin: false) { credential in
                try probe(credential).map {
                    let version = self.state.withLock { $0.machine.numbered(stored).version }
                    return credential.generation == version ? SessionState.signedIn : .refreshed
                }
            }.take(1).asSingle().catch(state(after:))
        }
    }

    @Sendable
    private func state(after error: any Error) -> Single<SessionState> {
        switch (error as? HTTPClientError)?.code {
        case .loginRequired:
            state.withLock { $0.machine.announceAgain() }
            return .just(.loginRequired)
        case .refreshFailed: return .just(.refreshable)
        default: return .error(error)
        }
    }
}
