import FreshetCore

extension RefreshGate {
    /// The wall clock is read this often, because the monotonic clock stands still while a machine is suspended.
    private static let idlePeriod = Duration.seconds(30)

    /// Starts a timer that refreshes the credential before it expires, as a request would.
    func refreshWhileIdle() {
        idleTimer.disposable = scheduler.schedulePeriodic(
            (), startAfter: Self.idlePeriod, period: Self.idlePeriod
        ) { [weak self] _ in
            guard let self, self.usable() == nil else { return }
            // A gate that has not been used yet has not read its store.
            guard let current = self.current else { return self.useStoredCredential() }
            if current.refreshToken != nil || !self.settings.needsLogin { _ = self.acquire(replacing: nil) { _ in } }
        }
    }

    private func useStoredCredential() {
        _ = store.load().subscribe { result in
            guard case .success(let stored) = result, stored.credential != nil, !stored.isRefused else { return }
            _ = self.acquire(replacing: nil) { _ in }
        }
    }
}
