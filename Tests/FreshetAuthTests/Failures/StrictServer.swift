import FreshetAuth
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// An authorization server that is as strict as RFC 9700 section 4.14.2 allows, and an API that accepts only its tokens. Both
/// run on virtual time.
///
/// Each sign-in opens a family of tokens: `access-1.1` and `refresh-1.1`, after a refresh `access-2.1` and `refresh-2.1`. A
/// refresh ends the previous access token and spends its refresh token. A refresh with a spent token ends the family.
final class StrictServer: Sendable {
    struct Rules: Sendable {
        /// The life of an access token, in seconds. With `nil` the token never ends, and its response has no `expires_in`.
        var lifetime: Double? = 3600
        /// The delay of the response to a refresh. The server has exchanged the tokens before the delay.
        var refreshDelay = Duration.seconds(1)
        var sign = ExpiryResponse.unauthorized
        /// Whether a refresh leaves the previous access token valid until its own end.
        var letsOldTokensEnd = false
        /// The origins at which the API accepts tokens.
        var origins = [StrictServer.origin]
        /// The response to a request with a valid token.
        var resource: @Sendable (RecordedRequest) -> ScriptedResponse = { _ in ScriptedResponse(body: "in") }
    }

    struct Counts: Equatable {
        var refreshes = 0
        var refusals = 0
        /// The number of refusals of a refresh token that was spent before.
        var reuses = 0
    }

    private struct State {
        /// The number of the newest tokens by family. A revoked family has no entry.
        var newest: [Int: Int] = [:]
        var families = 0
        /// The valid access tokens, with the time at which each ends.
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
    /// The hosts of the API and all other hosts except the authorization server's.
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

    /// Opens a family of tokens, as a login does.
    func signIn() -> Credential {
        state.withLock { state in
            state.families += 1
            return issue(1, of: state.families, in: &state)
        }
    }

    /// Ends all access tokens.
    func expire() { state.withLock { $0.living = [:] } }

    /// Ends all families.
    func endSessions() {
        state.withLock { state in
            state.living = [:]
            state.newest = [:]
        }
    }

    /// Loses the responses to the next `count` refreshes, after the server has exchanged the tokens.
    func loseResponses(_ count: Int) { state.withLock { $0.lostResponses = count } }

    var counts: Counts { state.withLock { $0.counts } }
    /// The hosts and paths that saw a token that was not meant for them.
    var leaks: [String] { state.withLock { $0.leaks } }
    /// The tokens that were revoked, in order.
    var revoked: [String] { state.withLock { $0.revoked } }
    /// The tokens of the requests that reached the API's origin, in order.
    var tokens: [String?] { api.requests.filter { $0.origin == Self.origin }.map(\.bearerToken) }

    /// Whether the access token of `credential` is still valid.
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
