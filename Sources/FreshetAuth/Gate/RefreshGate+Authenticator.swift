public import FreshetCore
public import FreshetHTTP

extension RefreshGate {
    /// A gate that has its credentials refreshed by `authenticator`.
    ///
    /// Besides what `settings` say, an answer to the refresh that `authenticator` takes for the sign of an expired
    /// credential refuses it for good. And unless they say what the sign is, uses of the gate go by the authenticator's.
    @preconcurrency
    public convenience init(
        store: any CredentialStore, authenticator: any Authenticator, scheduler: any SchedulerType,
        secondsSince1970: @escaping @Sendable () -> Double = WallClock.secondsSince1970,
        settings: Settings = Settings()
    ) {
        var settings = settings
        let isRefusal = settings.isRefusal
        settings.needsLogin = settings.needsLogin && authenticator.needsLogin
        if !settings.hasSignOfItsOwn {
            settings.isExpired = { ($0 as? HTTPClientError)?.response.map(authenticator.isExpired) ?? false }
        }
        settings.isRefusal = { error in
            isRefusal(error)
                || RefreshVerdict.isRefusal(error, authenticator.expired, isExpired: authenticator.isExpired)
        }
        self.init(
            store: store, scheduler: scheduler, secondsSince1970: secondsSince1970, settings: settings,
            revoke: authenticator.revoke, refresh: authenticator.refresh)
    }
}
