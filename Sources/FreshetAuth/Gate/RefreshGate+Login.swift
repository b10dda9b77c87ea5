public import FreshetCore
import FreshetHTTP

extension RefreshGate {
    /// Persists `credential`, then publishes it.
    ///
    /// A login does not wait for a refresh that is asking the token server. It takes over the transaction and the lock of the
    /// refresh; the late response of the refresh is dropped, and its credential revoked, unless it has a token of the new one. If
    /// the store cannot be written, the refresh continues. The login waits for a refresh that is being written.
    ///
    /// The login continues to its end if the subscription is disposed of. Fails with an `HTTPClientError` of code `store`, or
    /// of code `invalidRequest` if a token contains characters that a header field cannot hold.
    ///
    /// - Parameters:
    ///   - credential: the new credential.
    ///   - revokesReplaced: whether the gate asks the server to revoke the credential that was stored before, unless it has a
    ///     token of the new one. ``settled()`` waits for that revocation.
    public func login(_ credential: Credential, revokesReplaced: Bool = false) -> Single<Credential> {
        login(credential, replacing: revokesReplaced ? .andRevoke : .always)
    }

    /// Persists and publishes `credential` as ``login(_:revokesReplaced:)`` does, unless the store has a credential that can be
    /// used or refreshed as far as is known. Emits the credential that the store has in the end,
    /// which the next request refreshes first if it has expired.
    ///
    /// Call it where a program begins with a token that it was configured with. The store is read and written under one lock, so
    /// of several programs that begin at the same time one stores the token, and a later start does not replace what has been
    /// refreshed since. After a logout the store is empty, and the token is stored.
    ///
    /// It waits for a refresh that has asked the server. Fails as a login does, and with code `store` if the store cannot be read.
    public func loginIfNeeded(_ credential: Credential) -> Single<Credential> {
        login(credential, replacing: .unlessWorking)
    }

    private func login(
        _ credential: Credential, replacing replacement: RefreshStateMachine.Replacement
    ) -> Single<Credential> {
        guard credential.isSendable else {
            return .error(
                HTTPClientError(
                    .invalidRequest, phase: .preparing,
                    message: "a token is empty or holds other characters than printable ASCII",
                    recoverySuggestion: "give it as it was issued"
                ))
        }
        var credential = credential
        credential.details.loginID = CredentialDetails.newID()
        credential.details.sessionID = CredentialDetails.newID()
        return write { [credential] in .login(waiter: $0, credential, replacing: replacement) }.map {
            [credential] in $0 ?? credential
        }
    }

    /// Empties the store, and asks the server to revoke the stored credential. A refresh under way is superseded as in
    /// ``login(_:revokesReplaced:)``.
    ///
    /// Waiting requests fail with `loginRequired`. Running requests that registered with ``whenSessionEnds(_:)`` fail with it
    /// too. The logout succeeds when the store is empty and the revocation has ended, successfully or not. The gate waits for the
    /// revocation for at most ``Settings/revocationDeadline``. ``revocations`` reports its outcome. The logout continues to its
    /// end if the subscription is disposed of. Fails with an `HTTPClientError` of code `store`; then nothing has changed. Only a
    /// write that exceeds ``Settings/deadline``, and that the store cannot cancel, can still empty the store after that. Its
    /// credential is not revoked.
    public func logout() -> Single<Void> {
        write { .logout(waiter: $0) }.map { _ in }
    }

    private func write(_ input: @escaping @Sendable (Int) -> RefreshStateMachine.Input) -> Single<Credential?> {
        .create { observer in
            self.wait({ result, _ in observer(result.mapError { $0.clientError }) }, as: input)
        }
    }
}
