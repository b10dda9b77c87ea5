public import FreshetCore
import FreshetHTTP

/// What a program finds of its session when it starts.
public enum SessionState: Sendable, Hashable {
    /// There is a credential, and it works.
    case signedIn
    /// There was one that had ended; it has been refreshed.
    case refreshed
    /// There is one that has ended and could not be refreshed for now, though nobody refused that. It is kept.
    case refreshable
    case loginRequired
}

extension RefreshGate {
    /// Answers once what an app asks at its launch: is there a credential, does it still work, can it be refreshed, or has
    /// somebody to log in?
    ///
    /// Fails with an `HTTPClientError` of code `store` if the store can't be read or written. Nothing is tried twice.
    public func session() -> Single<SessionState> {
        session { _ in .just(()) }
    }

    /// The same, having a server say whether the credential works.
    ///
    /// - Parameters:
    ///   - isExpired: whether an error of `probe` says that the credential has ended; by default the gate's setting. Any
    ///     other error of it is the answer's.
    ///   - probe: asks the server.
    @preconcurrency
    public func session(
        isExpired: (@Sendable (any Error) -> Bool)? = nil,
        checking probe: @escaping @Sendable (Credential) throws -> Single<Void>
    ) -> Single<SessionState> {
        storedVersion().flatMap { version in
            let use = self.withCredential(isExpired: isExpired, waitsForLogin: false) { credential in
                try probe(credential).map { credential.generation == version ? SessionState.signedIn : .refreshed }
            }
            return .create { observer in
                use.subscribe { event in
                    switch event {
                    case .next(let state): observer(.success(state))
                    case .error(let error): observer(Self.state(after: error))
                    case .completed: break
                    }
                }
            }
        }
    }

    private static func state(after error: any Error) -> SingleEvent<SessionState> {
        switch (error as? HTTPClientError)?.code {
        case .loginRequired: .success(.loginRequired)
        case .refreshFailed: .success(.refreshable)
        default: .failure(error)
        }
    }

    private func storedVersion() -> Single<Int> {
        let store = store
        return .create { observer in
            store.load().subscribe { result in
                observer(result.map(\.version).mapError { RefreshFailure.store($0).clientError })
            }
        }
    }
}
