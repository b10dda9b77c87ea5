import FreshetCore

/// A point in time on both clocks. The wall clock advances while the machine sleeps; the monotonic clock cannot be set back.
struct Timestamp: Sendable, Hashable {
    var wall: Double
    var monotonic: Instant

    /// Whether either clock has reached this time.
    func isReached(at now: Timestamp) -> Bool { now.wall >= wall || now.monotonic >= monotonic }

    static let never = Timestamp(wall: .infinity, monotonic: Instant(sinceStart: .never))
}

/// When a credential is refreshed and when it expires, on both clocks, counted from the moment at which the gate received it.
///
/// ```
/// received ── fresh ── ahead ── refreshed in the background ── due ── refreshed before use ── end
/// ```
struct CredentialLifetime: Sendable, Hashable {
    /// When background refreshing begins: at a random time in the first half of the advisory window, so that clients that share
    /// the credential do not all refresh at once.
    var ahead: Timestamp
    /// When a request has to wait for a refresh before it uses the credential.
    var due: Timestamp
    var end: Timestamp
    /// The time from the beginning of the advisory window to ``due``, and the time from ``due`` to the end; both in seconds.
    var advisory: Double
    var mandatory: Double

    /// Half a century in seconds, which both clocks can count with.
    private static let longest = 1.6e9

    static let endless = CredentialLifetime(ahead: .never, due: .never, end: .never, advisory: 0, mandatory: 0)

    /// Computes the lifetime of `credential`. If its expiry is unknown and its access token is a JWT, the token's `exp`
    /// determines when the credential is refreshed. The credential stays usable after that time, because the server decides.
    init(of credential: Credential, from now: Timestamp, _ settings: RefreshGate.Settings, random: Double) {
        let planned = credential.expiresAt ?? UnverifiedClaims(of: credential.accessToken)?.end(at: now.wall)
        self.init(until: planned, from: now, settings, random: random)
        if credential.expiresAt == nil { end = .never }
        guard settings.refreshesWhileIdle, let refreshEnd = credential.details.refreshExpiresAt else { return }
        // An unused refresh token expires too. Close to its expiry this plans no refresh, because a refresh may not extend it.
        let half = min(refreshEnd - now.wall, Self.longest) / 2
        guard half > settings.mandatoryWindow / .seconds(1) else { return }
        ahead = now.after(min(ahead.wall - now.wall, half * (1 - random / 10)))
    }

    /// - Parameter random: the position in the first half of the advisory window, from 0 to 1.
    init(until expiresAt: Double?, from now: Timestamp, _ settings: RefreshGate.Settings, random: Double) {
        guard let expiresAt, expiresAt < .infinity else {
            self = .endless
            return
        }
        let life = max(-Self.longest, min(expiresAt - now.wall, Self.longest))
        // The mandatory window is at most a tenth of the lifetime, and the advisory window begins after half of it at the
        // earliest, so that a token of a few seconds can be used at all.
        mandatory = max(0, min(settings.mandatoryWindow / .seconds(1), life / 10))
        advisory = max(0, min(settings.advisoryWindow.seconds(of: life), life / 2) - mandatory)
        end = now.after(life)
        due = now.after(life - mandatory)
        ahead = now.after(life - mandatory - advisory * (1 - random / 2))
    }

    private init(ahead: Timestamp, due: Timestamp, end: Timestamp, advisory: Double, mandatory: Double) {
        self.ahead = ahead
        self.due = due
        self.end = end
        self.advisory = advisory
        self.mandatory = mandatory
    }

    /// Returns how many seconds after a failure the next refresh is tried while the credential is still usable: at most half of
    /// the current window, so that another try happens before the window ends.
    func pause(at now: Timestamp, atMost longest: Double, random: Double) -> Double {
        min(longest, (due.isReached(at: now) ? mandatory : advisory) / 2) * (1 + random) / 2
    }
}

extension Timestamp {
    func after(_ seconds: Double) -> Timestamp {
        Timestamp(wall: wall + seconds, monotonic: monotonic.advanced(by: .seconds(seconds)))
    }

    /// Returns how many seconds after `now` the first of the two clocks reaches this time.
    func seconds(after now: Timestamp) -> Double {
        min(wall - now.wall, now.monotonic.duration(to: monotonic) / .seconds(1))
    }
}
