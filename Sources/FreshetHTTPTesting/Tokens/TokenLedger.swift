import FreshetCore

/// The state of a token server: the issued tokens, which of them still work, and how often each kind of event has happened. It is
/// a value without a clock or a socket.
struct TokenLedger {
    enum Use: Equatable {
        case accepted(number: Int)
        case expired
        /// The request has no token, or one that was never issued.
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
        /// Whether the server has reported the token as expired. It reports that for every later use too.
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

    /// Opens a session and issues its first tokens. If `isRenewable` is false, the session has only an access token.
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

    /// Whether an event stream with this token has to end. A stream does not count as a use. A token without uses left
    /// ends when the next request is refused, so that a test with exactly as many requests as uses causes no additional expiry.
    func hasEnded(_ token: String, at now: Instant) -> Bool {
        guard let access = access[token] else { return true }
        return access.hasExpired || revoked.contains(access.family) || access.ends.map { $0 <= now } ?? false
    }

    /// Admits an event stream if its token works.
    mutating func admitStream(_ token: String?, at now: Instant) -> Bool {
        guard let token, !hasEnded(token, at: now) else {
            if let token { expire(token) }
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

    /// Expires all issued access tokens.
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
