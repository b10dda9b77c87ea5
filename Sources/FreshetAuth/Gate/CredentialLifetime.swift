import FreshetCore

/// A point in time on both clocks. The wall's goes on while the machine sleeps, the monotonic one cannot be set back.
struct Moment: Sendable, Hashable {
    var wall: Double
    var monotonic: Instant

    /// Whether either clock has come to this.
    func isReached(at now: Moment) -> Bool { now.wall >= wall || now.monotonic >= monotonic }

    static let never = Moment(wall: .infinity, monotonic: Instant(sinceStart: .never))
}

/// When a credential is renewed and when it ends, counted on both clocks from the moment it was come by.
///
/// ```
/// come by ── fresh ── ahead ── in the background ── due ── before it is used ── end
/// ```
struct CredentialLifetime: Sendable, Hashable {
    /// How long before the end renewing begins, in seconds.
    struct Windows: Sendable {
        var advisory = RefreshGate.Settings.AdvisoryWindow.byLifetime
        var mandatory = 60.0
        /// Whether half of the life of a refresh token is a reason to refresh.
        var refreshesIdleTokens = false
    }

    /// From when on it is renewed in the background: somewhere in the first half of the advisory window, so that those who
    /// share it do not begin at once.
    var ahead: Moment
    /// From when on it is renewed before it is used.
    var due: Moment
    var end: Moment
    /// How long the time from the advisory window's beginning to ``due`` is, and from there to the end; in seconds.
    var advisory: Double
    var mandatory: Double

    static let endless = CredentialLifetime(ahead: .never, due: .never, end: .never, advisory: 0, mandatory: 0)

    /// The life of `credential`. If nobody said when it ends, but its access token is a JWT, the token's `exp` says when it is
    /// refreshed. It serves on after that: the server decides.
    init(of credential: Credential, from now: Moment, _ windows: Windows, chance: Double) {
        let planned = credential.expiresAt ?? UnverifiedClaims(of: credential.accessToken)?.end(at: now.wall)
        self.init(until: planned, from: now, windows, chance: chance)
        if credential.expiresAt == nil { end = .never }
        guard windows.refreshesIdleTokens, let refreshEnd = credential.details.refreshExpiresAt else { return }
        // A refresh token that nobody uses ends too. Close to its end it is left alone, for it may have a fixed one.
        let half = (refreshEnd - now.wall) / 2
        if half > windows.mandatory { ahead = now.after(min(ahead.wall - now.wall, half * (1 - chance / 10))) }
    }

    /// - Parameter chance: from 0 to 1, where in the first half of the advisory window.
    init(until expiresAt: Double?, from now: Moment, _ windows: Windows, chance: Double) {
        guard let expiresAt, expiresAt < .infinity else {
            self = .endless
            return
        }
        // What a clock can count with: half a century.
        let life = max(-1.6e9, min(expiresAt - now.wall, 1.6e9))
        // Of a short life a tenth and half, so that a token of a few seconds is used at all.
        mandatory = max(0, min(windows.mandatory, life / 10))
        advisory = max(0, min(windows.advisory.seconds(of: life), life / 2) - mandatory)
        end = now.after(life)
        due = now.after(life - mandatory)
        ahead = now.after(life - mandatory - advisory * (1 - chance / 2))
    }

    private init(ahead: Moment, due: Moment, end: Moment, advisory: Double, mandatory: Double) {
        self.ahead = ahead
        self.due = due
        self.end = end
        self.advisory = advisory
        self.mandatory = mandatory
    }

    /// How long after a failure no other renewal is tried while the credential serves, in seconds: at most half of the
    /// window that it is in, so that another try comes before the window's end.
    func pause(at now: Moment, atMost longest: Double, chance: Double) -> Double {
        min(longest, (due.isReached(at: now) ? mandatory : advisory) / 2) * (1 + chance) / 2
    }
}

extension Moment {
    func after(_ seconds: Double) -> Moment {
        Moment(wall: wall + seconds, monotonic: monotonic.advanced(by: .seconds(seconds)))
    }
}
