import FreshetCore

/// What a token server knows: who was given what, what still works, and how often each thing happened. A value, with no
/// clock and no socket.
struct TokenLedger {
    enum Use: Equatable {
        case accepted(number: Int)
        case expired
        /// No token, or none that was ever issued.
        case unknown
    }

    enum Exchange: Equatable {
        case granted(TokenServer.Tokens)
        case refused
    }

    private struct Access {
        var family: Int
        var usesLeft: Int?
        var ends: Instant?
        /// Whether the expired sign was given for it; from then on it is always given.
        var hasExpired = false
    }

    private struct Renewal {
        var family: Int
        var isSpent = false
    }

    private let rules: TokenServer.Rules
    private var issued = 0
    private var families = 0
    private var access: [String: Access] = [:]
    private var renewals: [String: Renewal] = [:]
    private var revoked: Set<Int> = []
    private(set) var counts = TokenServer.Counts()

    init(rules: TokenServer.Rules) {
        self.rules = rules
    }

    /// The first tokens of a session; with `isRenewable` false an access token alone.
    mutating func open(isRenewable: Bool = true, at now: Instant) -> TokenServer.Tokens {
        families += 1
        counts.logins += 1
        return issue(family: families, isRenewable: isRenewable, at: now)
    }

    mutating func use(_ token: String?, at now: Instant) -> Use {
        guard let token, access[token] != nil else {
            counts.rejected += 1
            return .unknown
        }
        guard !hasEnded(token, at: now), access[token]?.usesLeft != 0 else {
            expire(token)
            counts.rejected += 1
            return .expired
        }
        if let left = access[token]?.usesLeft { access[token]?.usesLeft = left - 1 }
        counts.accepted += 1
        return .accepted(number: counts.accepted)
    }

    /// Whether an event stream with this token has to end. Streams are no uses: a token whose uses are all taken ends when
    /// the next one is refused, so that a run that takes exactly what there is sees no more expiries than it should.
    func hasEnded(_ token: String, at now: Instant) -> Bool {
        guard let access = access[token] else { return true }
        return access.hasExpired || revoked.contains(access.family) || access.ends.map { $0 <= now } ?? false
    }

    /// Lets an event stream begin, if its token works.
    mutating func admitStream(_ token: String, at now: Instant) -> Bool {
        guard !hasEnded(token, at: now) else {
            counts.rejected += 1
            return false
        }
        counts.streams += 1
        return true
    }

    private mutating func expire(_ token: String) {
        if access[token]?.hasExpired == false { counts.expiries += 1 }
        access[token]?.hasExpired = true
    }

    /// Ends all access tokens that are out.
    mutating func expireAll() {
        for token in access.keys { expire(token) }
    }

    mutating func refresh(with token: String?, at now: Instant) -> Exchange {
        guard let token, let renewal = renewals[token], !revoked.contains(renewal.family) else {
            counts.refusals += 1
            return .refused
        }
        if renewal.isSpent {
            counts.reuses += 1
            counts.refusals += 1
            if rules.revokesOnReuse { revoked.insert(renewal.family) }
            return .refused
        }
        counts.refreshes += 1
        if rules.rotatesRefreshTokens { renewals[token]?.isSpent = true }
        var tokens = issue(family: renewal.family, isRenewable: rules.rotatesRefreshTokens, at: now)
        if !rules.rotatesRefreshTokens { tokens.refreshToken = token }
        return .granted(tokens)
    }

    mutating func revoke(_ token: String) {
        if let family = access[token]?.family ?? renewals[token]?.family { revoked.insert(family) }
    }

    mutating func revokeAll() {
        revoked = families > 0 ? Set(1...families) : []
    }

    private mutating func issue(family: Int, isRenewable: Bool, at now: Instant) -> TokenServer.Tokens {
        issued += 1
        var lifetime: Duration?
        var uses: Int?
        switch rules.expiry {
        case .never: break
        case .afterUses(let counts): uses = issued <= counts.count ? counts[issued - 1] : nil
        case .everyUses(let count): uses = count
        case .after(let duration): lifetime = duration
        }
        let tokens = TokenServer.Tokens(
            number: issued, accessToken: "access-\(issued).\(family)",
            refreshToken: isRenewable ? "refresh-\(issued).\(family)" : nil, lifetime: lifetime)
        access[tokens.accessToken] = Access(family: family, usesLeft: uses, ends: lifetime.map { now.advanced(by: $0) })
        if let refreshToken = tokens.refreshToken { renewals[refreshToken] = Renewal(family: family) }
        return tokens
    }
}
