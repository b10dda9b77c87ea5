public import FreshetCore
public import FreshetHTTP

extension RefreshGate {
    /// Calls `told` when a logout has emptied the store, with an error of code `loginRequired`: whatever uses the credential
    /// of the session is over then. More than once, if there are more logouts before the result is disposed of.
    ///
    /// Register before the credential is asked for, and as long as it is used; then no logout is missed. A refresh that was
    /// refused ends nothing that is under way: its access token may work. `told` is called on the thread on which the store's
    /// write ended, and it may be, once, while another thread is disposing of the result.
    @preconcurrency
    public func whenSessionEnds(_ told: @escaping @Sendable (HTTPClientError) -> Void) -> any Disposable {
        uses.tell(told)
    }
}
