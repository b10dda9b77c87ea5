import ArgumentParser
import Freshet

/// `freshet logout`: empties a profile's store, and asks the server to revoke the credential that was in it.
struct Logout: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Remove the credential from a profile's store and revoke it.",
        discussion: """
            The credential is revoked at the profile's revoke_url (RFC 7009), or at the address that discovery finds. Without \
            both it is only forgotten, which is noted. If another process is refreshing it, the command waits for that, so \
            that what it stores is removed as well.

            Exit 0 if nothing is stored any more, also if nothing was. Exit 1 if the store can't be read or written, and \
            then nothing has changed; or if the revocation failed or took more than 10 s: the credential is forgotten all \
            the same, and may stay valid until it expires.
            """)

    /// How long to wait for the store's lock: longer than a refresh of another process takes.
    private static let lockPatience = Duration.seconds(45)
    /// How long the revocation of each of the two tokens may take.
    private static let revocationPatience = Duration.seconds(5)

    @OptionGroup var options: ProfileOptions

    func run() throws {
        try options.checkIsNamed(to: "log out of")
        guard let profile = try options.profile() else { return }
        var configuration = FreshetRuntime.Configuration()
        configuration.refresh.timeout = Self.revocationPatience
        configuration.transport.proxy = .environment
        let runtime = try FreshetRuntime(configuration: configuration)
        defer { runtime.shutdown() }
        let revoker = try revoker(of: profile, on: runtime)
        let removed = try result(of: emptying(profile.store.opened(on: runtime), on: runtime.scheduler).asStoreError())
        guard let credential = removed.credential else {
            return Console.report("note: nothing was stored")
        }
        if case .success(nil) = revoker {
            return Console.report(
                "note: the credential is forgotten, and not revoked: neither the profile's refresh.revoke_url nor discovery "
                    + "names an endpoint for that")
        }
        do {
            try finish(revoker.get().map { $0.revoke(credential).asObservable() } ?? .empty())
        } catch {
            Console.report(
                "note: the credential is forgotten, but may stay valid until it expires, because it could not be revoked"
            )
            throw error
        }
    }

    /// The revoker of the profile, or the error of a discovery that failed: without a network, the credential is forgotten all
    /// the same. Any other error ends the command before it has changed anything.
    private func revoker(
        of profile: Profile, on runtime: FreshetRuntime
    ) throws -> Result<(any Authenticator)?, any Error> {
        do {
            return .success(try profile.revoker(on: runtime))
        } catch let error as HTTPClientError where error.phase != .preparing && error.code != .store {
            return .failure(error)
        }
    }

    /// Empties `store` under its lock.
    ///
    /// - Returns: the record that was in it.
    private func emptying(
        _ store: any CredentialStore, on scheduler: any SchedulerType
    ) -> Single<StoredCredential> {
        WaitNotingStore(store: store, scheduler: scheduler).lock()
            .timeout(Self.lockPatience, other: .error(Self.isHeld), scheduler: scheduler)
            .flatMap { lease in
                lease.load()
                    .flatMap { stored in
                        guard stored.credential != nil || stored.isRefused else { return .just(stored) }
                        return lease.save(stored.successor(nil)).map { stored }
                    }
                    .do(onDispose: lease.unlock)
            }
    }

    private static let isHeld = StoreError(
        "another process has held the store's lock for \(lockPatience); nothing was changed; try again")
}
