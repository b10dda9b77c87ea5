import FreshetAuth
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// An authorization server as strict as RFC 9700 section 4.14.2 lets it be, and an API that takes its tokens alone; both on
/// virtual time.
///
/// Each sign-in opens a family of tokens: `access-1.1` and `refresh-1.1`, after a refresh `access-2.1` and `refresh-2.1`. A
/// refresh ends the access token before it and spends its refresh token; whoever brings a spent one ends the family.
final class StrictServer: Sendable {
    struct Rules: Sendable {
        /// The life of an access token in seconds; `nil` is not told and has no end.
        var lifetime: Double? = 3600
        /// How long the answer to a refresh takes. The tokens have been exchanged by then.
        var refreshDelay = Duration.seconds(1)
        var sign = ExpiryResponse.unauthorized
        /// Whether the access token before lasts as long as it would without a refresh.
        var letsOldTokensEnd = false
        /// Whose requests are let in.
        var origins = [StrictServer.origin]
        /// What a request with a working token is answered.
        var resource: @Sendable (RecordedRequest) -> ScriptedResponse = { _ in ScriptedResponse(body: "in") }
    }

    struct Counts: Equatable {
        var refreshes = 0
        var refusals = 0
        /// Of these, those with a refresh token that was spent already.
        var reuses = 0
    }

    private struct State {
        /// The number of each family's newest tokens; none where the family is revoked.
        var newest: [Int: Int] = [:]
        var families = 0
        /// The access tokens that are out, and when they end.
        var living: [String: Double] = [:]
        var counts = Counts()
        var lostResponses = 0
        var leaks: [String] = []
        var revoked: [String] = []
    }

    static let origin = "https://api.example"
    static let tokenURL = "https://id.example/token"
    static let revocationURL = "https://id.example/revoke"

    let clocks: Clocks
    let rules: Rules
    /// The API's host and all others but the authorization server's.
    let api: StubTransport
    let identity: StubTransport
    private let state = Locked(State())

    init(_ clocks: Clocks, rules: Rules = Rules()) {
        self.clocks = clocks
        self.rules = rules
        api = StubTransport(scheduler: clocks.scheduler)
        identity = StubTransport(scheduler: clocks.scheduler)
        api.route { [unowned self] in resource($0) }
        identity.route(.post, "/token") { [unowned self] in token($0) }
        identity.route(.post, "/revoke") { [unowned self] in revoke($0) }
    }

    /// Opens a family, as a login does.
    func signIn() -> Credential {
        state.withLock { state in
            state.families += 1
            return issue(1, of: state.families, in: &state)
        }
    }

    /// Ends all access tokens that are out.
    func expire() { state.withLock { $0.living = [:] } }

    /// Ends all families.
    func endSessions() {
        state.withLock { state in
            state.living = [:]
            state.newest = [:]
        }
    }

    /// Loses the answers to the next refreshes after the tokens were exchanged.
    func loseResponses(_ count: Int) { state.withLock { $0.lostResponses = count } }

    var counts: Counts { state.withLock { $0.counts } }
    /// Who saw what was not meant for him.
    var leaks: [String] { state.withLock { $0.leaks } }
    /// The tokens that were revoked, in order.
    var revoked: [String] { state.withLock { $0.revoked } }
    /// The access tokens that the API was asked with.
    var tokens: [String?] { api.requests.filter { $0.origin == Self.origin }.map(\.bearerToken) }

    /// Whether `credential` still works here.
    func takes(_ credential: Credential?) -> Bool {
        guard let credential else { return false }
        return state.withLock { $0.living[credential.accessToken].map { $0 > clocks.server } ?? false }
    }

    private func issue(_ number: Int, of family: Int, in state: inout State) -> Credential {
        state.newest[family] = number
        let access = "access-\(number).\(family)"
        state.living[access] = rules.lifetime.map { clocks.server + $0 } ?? .infinity
        return Credential(
            accessToken: access, refreshToken: "refresh-\(number).\(family)",
            expiresAt: rules.lifetime.map { clocks.device + $0 })
    }

    private func resource(_ request: RecordedRequest) -> ScriptedResponse {
        let secrets = request.headers.map(\.value) + [request.target, request.text]
        let isOurs = rules.origins.contains(request.origin)
        if secrets.contains(where: { $0.contains("refresh-") || !isOurs && $0.contains("access-") }) {
            state.withLock { $0.leaks.append("\(request.origin)\(request.path)") }
        }
        guard isOurs else { return ScriptedResponse(status: .unauthorized, body: "a stranger") }
        let isIn = state.withLock { state in
            request.bearerToken.flatMap { state.living[$0] }.map { $0 > clocks.server } ?? false
        }
        return isIn ? rules.resource(request) : rules.sign.response
    }

    private func token(_ request: RecordedRequest) -> ScriptedResponse {
        if request.headers[.authorization] != nil || request.text.contains("access-") {
            state.withLock { $0.leaks.append("an access token at the token endpoint") }
        }
        let form = Self.form(request.text)
        let words = (form["refresh_token"] ?? "").split { $0 == "-" || $0 == "." }
        guard words.count == 3, words[0] == "refresh", let number = Int(words[1]), let family = Int(words[2]) else {
            return refuse()
        }
        let (response, isLost) = state.withLock { state -> (ScriptedResponse?, Bool) in
            guard let newest = state.newest[family] else { return (nil, false) }
            guard number == newest else {
                state.counts.reuses += 1
                state.newest[family] = nil
                state.living = state.living.filter { !$0.key.hasSuffix(".\(family)") }
                return (nil, false)
            }
            state.counts.refreshes += 1
            if !rules.letsOldTokensEnd { state.living["access-\(number).\(family)"] = nil }
            let new = issue(number + 1, of: family, in: &state)
            let isLost = state.lostResponses > 0
            if isLost { state.lostResponses -= 1 }
            return (self.response(with: new), isLost)
        }
        guard let response else { return refuse() }
        return (isLost ? .reset : response).after(rules.refreshDelay)
    }

    private func response(with credential: Credential) -> ScriptedResponse {
        let life = rules.lifetime.map { ",\"expires_in\":\($0)" } ?? ""
        var response = ScriptedResponse.json(
            """
            {"access_token":"\(credential.accessToken)","refresh_token":"\(credential.refreshToken ?? "")"\(life)}
            """)
        response.headers[.date] = Clocks.field(clocks.server)
        return response
    }

    private func refuse() -> ScriptedResponse {
        state.withLock { $0.counts.refusals += 1 }
        return ScriptedResponse.json(#"{"error":"invalid_grant"}"#, status: .badRequest).after(rules.refreshDelay)
    }

    private func revoke(_ request: RecordedRequest) -> ScriptedResponse {
        guard let token = Self.form(request.text)["token"] else { return ScriptedResponse(status: .badRequest) }
        let family = token.split(separator: ".").last.flatMap { Int($0) }
        state.withLock { state in
            state.revoked.append(token)
            guard let family else { return }
            state.newest[family] = nil
            state.living = state.living.filter { !$0.key.hasSuffix(".\(family)") }
        }
        return ScriptedResponse()
    }

    private static func form(_ text: String) -> [String: String] {
        var fields: [String: String] = [:]
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1)
            if parts.count == 2 { fields[String(parts[0])] = String(parts[1]) }
        }
        return fields
    }
}
