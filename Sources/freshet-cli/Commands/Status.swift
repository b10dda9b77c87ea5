import ArgumentParser
import Freshet

/// `freshet status`: shows the state of the credential in a profile's store.
struct Status: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the state of a profile's credential, never a secret.",
        discussion: """
            One JSON line: {"profile", "store", "state", "expires_at", "version"}, and if they are known "scope", which is \
            text with spaces, and "refresh_expires_at". Times are in seconds since 1970, with a fraction; expires_at is null if \
            it is not known.

            The states: valid; expiring, within \(Int(expiringWindow)) s of its end, so that it is refreshed about now; \
            expired; login_required, for its refresh was refused; empty, nothing is stored.

            Exit 0 if it is usable or can be refreshed: valid, expiring, expired with a refresh token that has not \
            expired itself and that the profile says what to do with, and with the grant client_credentials also empty. \
            Exit 1 otherwise, and if the store can't be read. The store is only read; no server is asked.
            """)

    /// How long before its expiry a credential counts as expiring, in seconds. It is the window of the gate, which refreshes a
    /// credential with a long life this long before its expiry.
    static let expiringWindow = RefreshGate.Settings().mandatoryWindow / .seconds(1)

    @OptionGroup var options: ProfileOptions

    func run() throws {
        try options.checkIsNamed(to: "look at")
        guard let profile = try options.profile() else { return }
        let runtime = try FreshetRuntime()
        defer { runtime.shutdown() }
        let stored = try result(of: profile.store.opened(on: runtime).load().asStoreError())
        let now = WallClock.secondsSince1970()
        let state = CredentialState(of: stored, at: now, window: Self.expiringWindow)
        try printResult(StatusLine(profile, stored, state).text)
        if !profile.serves(stored, in: state, at: now) { throw ExitStatus(code: 1) }
    }
}
