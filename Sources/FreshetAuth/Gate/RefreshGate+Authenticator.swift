public import FreshetCore
public import FreshetHTTP

extension RefreshGate {
    /// Creates a gate whose credentials `authenticator` refreshes.
    ///
    /// A response to the refresh that `authenticator` recognises as an expired credential counts as a final refusal, in
    /// addition to the refusals of `settings`. If `settings` do not set ``Settings/isExpired``, the authenticator decides which
    /// errors report an expired credential.
    @preconcurrency
    public convenience init(
        store: any CredentialStore, authenticator: any Authenticator, scheduler: any SchedulerType,
        secondsSince1970: @escaping @Sendable () -> Double = WallClock.secondsSince1970,
        settings: Settings = Settings()
    ) {
        var settings = settings
        let isRefusal = settings.isRefusal
        settings.needsLogin = settings.needsLogin && authenticator.needsLogin
        settings.canApply = authenticator.canApply
        if !settings.hasCustomRule {
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
