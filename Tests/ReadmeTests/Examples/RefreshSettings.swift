import Freshet

/// The examples of the pages about refreshing.
enum RefreshSettingsExample {
    static func patient(
        _ store: any CredentialStore, _ authenticator: any Authenticator, _ runtime: FreshetRuntime
    ) -> RefreshGate {
        var settings = RefreshGate.Settings()
        settings.whileRefreshing = .useOld
        settings.mandatoryWindow = .seconds(10)
        settings.deadline = .seconds(60)
        let gate = runtime.gate(store: store, authenticator: authenticator, settings: settings)
        return gate
    }

    static func watch(_ gate: RefreshGate, print: @escaping @Sendable (String) -> Void) -> any Disposable {
        let watching = gate.refreshes.subscribe(onNext: { refresh in
            print("\(refresh.cause.rawValue), \(refresh.outcome.rawValue): \(refresh.waiters) requests waited")
        })
        return watching
    }
}
