import FreshetTesting

/// The record of the chaos run's authority: which token works, which client has spent which token, and which faults it has
/// seen.
/// The ledger is a value.
struct ChaosLedger {
    struct Tokens: Sendable, Hashable {
        var access: String
        var refresh: String
    }

    struct Counts {
        var accepted = 0
        var rejected = 0
        var refreshes = 0
        var refusals = 0
        var logins = 0
        var revocations = 0
        /// Refreshes with a spent token after the response to its exchange was withheld, or after the program that sent it was
        /// killed.
        var expectedReuses = 0
        /// Requests that were refused because their token lacked a scope.
        var demands = 0
    }

    private struct Access {
        var family: Int
        var usesLeft: Int
    }

    /// The exchange of a refresh token.
    private struct Exchange {
        var client: String
        var isWithheld: Bool
        var successor: Tokens
    }

    private struct Renewal {
        var family: Int
        var exchange: Exchange?
    }

    private let uses: Int
    private var random: SplitMix64
    private var access: [String: Access] = [:]
    private var renewals: [String: Renewal] = [:]
    private var families = 0
    private var revoked: Set<Int> = []
    private var killed: Set<String> = []
    /// Access tokens that a request has used. Their client had stored each of them, with its refresh token, before.
    private var seen: Set<String> = []
    private var pairs: [String: String] = [:]
    /// The scopes of the families.
    private var scopes: [Int: String] = [:]
    /// The names of the requests that the authority has accepted.
    private var accepted: Set<String> = []
    private(set) var counts = Counts()
    /// The faults that the authority has seen, in words that contain no token.
    private(set) var faults: [String] = []

    /// - Parameter uses: the number of accepted requests after which an access token ends.
    init(uses: Int, seed: UInt64) {
        self.uses = uses
        random = SplitMix64(seed: seed)
    }

    /// All tokens that the authority has issued.
    var secrets: [String] { Array(access.keys) + Array(renewals.keys) }

    mutating func login(scope: String = "") -> Tokens {
        families += 1
        scopes[families] = scope
        counts.logins += 1
        return issue(family: families)
    }

    private mutating func issue(family: Int) -> Tokens {
        let tokens = Tokens(access: random.secret(), refresh: random.secret())
        access[tokens.access] = Access(family: family, usesLeft: uses)
        renewals[tokens.refresh] = Renewal(family: family)
        pairs[tokens.access] = tokens.refresh
        return tokens
    }

    /// Whether the authority accepts a request with `token`. The name of the request is `id`.
    mutating func use(_ token: String?, by id: String) -> Bool {
        guard let token, let known = access[token], !revoked.contains(known.family), known.usesLeft > 0 else {
            counts.rejected += 1
            return false
        }
        seen.insert(token)
        access[token]?.usesLeft -= 1
        counts.accepted += 1
        if !accepted.insert(id).inserted { faults.append("request \(id) was let in twice") }
        return true
    }

    /// Whether `token` works, but not for a request that needs `scope`.
    mutating func lacks(_ scope: String, _ token: String?) -> Bool {
        guard let token, let known = access[token], !revoked.contains(known.family), known.usesLeft > 0,
            scopes[known.family]?.split(separator: " ").contains(Substring(scope)) == false
        else { return false }
        counts.demands += 1
        return true
    }

    func scope(of tokens: Tokens) -> String { access[tokens.access].flatMap { scopes[$0.family] } ?? "" }

    /// Whether a refresh token was exchanged by a program that received the response and was not killed.
    func isSpent(_ token: String) -> Bool {
        guard let exchange = renewals[token]?.exchange else { return false }
        return !exchange.isWithheld && !killed.contains(exchange.client)
    }

    func wasAccepted(_ id: String) -> Bool { accepted.contains(id) }

    /// New tokens for an old refresh token; `nil` is a refusal.
    ///
    /// - Parameter isWithheld: whether the server will keep the response from the client.
    mutating func refresh(_ token: String?, by client: String, isWithheld: Bool) -> Tokens? {
        guard let token, let renewal = renewals[token] else {
            faults.append("\(client) sent a refresh token that was never issued")
            return nil
        }
        if let exchange = renewal.exchange {
            recordReuse(by: client, of: exchange)
            revoked.insert(renewal.family)
        }
        guard renewal.exchange == nil, !revoked.contains(renewal.family) else {
            counts.refusals += 1
            return nil
        }
        counts.refreshes += 1
        let tokens = issue(family: renewal.family)
        renewals[token]?.exchange = Exchange(client: client, isWithheld: isWithheld, successor: tokens)
        return tokens
    }

    /// Records the use of a spent token.
    /// No client can tell that a token is spent if the response never arrived, or if its program was killed before it stored
    /// the response. A client stores a new pair before it uses it, so no client may send the old token after that use.
    private mutating func recordReuse(by client: String, of exchange: Exchange) {
        let isLost = exchange.isWithheld || killed.contains(exchange.client)
        // A request that a killed program sent may arrive after the request of the program that replaced it.
        if killed.contains(client) || (isLost && !seen.contains(exchange.successor.access)) {
            counts.expectedReuses += 1
        } else {
            let successor = seen.contains(exchange.successor.access) ? "used" : "never used"
            faults.append(
                "\(client) sent a refresh token that \(exchange.client) had spent, whose new pair was \(successor)")
        }
    }

    mutating func revoke(_ token: String?) {
        counts.revocations += 1
        guard let token, let family = access[token]?.family ?? renewals[token]?.family else {
            return faults.append("a token was to be revoked that was never issued")
        }
        revoked.insert(family)
    }

    /// Records that `client` has been killed.
    mutating func recordKill(of client: String) {
        killed.insert(client)
    }

    /// Whether the two tokens were issued together.
    func isPair(_ access: String, _ refresh: String) -> Bool { pairs[access] == refresh }
}
