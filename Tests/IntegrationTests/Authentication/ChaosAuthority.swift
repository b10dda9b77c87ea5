import Foundation
import FreshetCore
import FreshetCrypto
import FreshetHTTP
import FreshetHTTPTesting
import FreshetLoop
import FreshetTesting
import HTTPTypes

/// A strict OAuth server whose token endpoint fails in every way.
/// It rotates refresh tokens and exchanges each of them once. A refresh token that is sent again ends its session.
/// Its page for the login redirects at once. Requests whose number ends with 9 can need the scope `more`.
final class ChaosAuthority: Sendable {
    enum Fault: String, CaseIterable, Sendable {
        case hang, reset, tooMany, unavailable, garbage, slow
        /// The server exchanges the tokens, and the response is lost.
        case withheld
    }

    fileprivate struct State {
        var ledger: ChaosLedger
        var random: SplitMix64
        var faults: [Fault: Int] = [:]
        /// The scopes of the codes that were not exchanged.
        var codes: [String: String] = [:]
        let demandsScope: Bool
        /// The range of the time for which an endpoint hangs.
        var hangTime: ClosedRange<Int>
    }

    private let server: ScriptedServer
    private let loop: Loop
    private let state: Locked<State>
    /// The requests whose client had left before the response was sent.
    private let left = Locked<Set<String>>([])
    private let leaving = SingleAssignmentDisposable()

    init(seed: UInt64, uses: Int, plan: ChaosPlan) throws {
        var random = SplitMix64(seed: seed)
        let ledger = ChaosLedger(uses: uses, seed: random.next())
        let longest = Int(plan.longestHang / .milliseconds(1))
        state = Locked(
            State(ledger: ledger, random: random, demandsScope: plan.signsIn, hangTime: 100...longest))
        loop = try Loop(name: "authority")
        server = try ScriptedServer(on: loop, script: ResponseScript(keepsRequests: false))
        let (state, left) = (state, left)
        leaving.setDisposable(
            server.script.abandonments.subscribe(onNext: { request in
                left.withLock { _ = $0.insert(request.path) }
            }))
        server.route(.post, "/token") { request in
            let form = Self.form(request.text)
            return state.withLock { state in
                if let code = form["code"] { return state.token(code: code, verifier: form["code_verifier"] ?? "") }
                return state.token(form["refresh_token"], by: form["client_id"] ?? "")
            }
        }
        server.route(.post, "/revoke") { request in
            let form = Self.form(request.text)
            state.withLock { $0.ledger.revoke(form["token"]) }
            return ScriptedResponse()
        }
        server.route(.get, "/authorize") { request in
            let query = Self.form(String(request.target.split(separator: "?").last ?? ""))
            return state.withLock { $0.authorize(query) }
        }
        server.route { request in state.withLock { $0.response(to: request) } }
    }

    var url: String { server.url }

    /// Whether the request `id` was accepted, and whether its client left before the response was ready.
    func fate(of id: String) -> String {
        let isLetIn = state.withLock { $0.ledger.wasAccepted(id) }
        let isLeft = left.withLock { $0.contains(id) }
        return "\(isLetIn ? "let in" : "not let in")\(isLeft ? ", left by the client" : "")"
    }

    var faults: [Fault: Int] { state.withLock { $0.faults } }

    func withLedger<Result>(_ body: (inout ChaosLedger) -> Result) -> Result {
        state.withLock { body(&$0.ledger) }
    }

    func close() {
        leaving.dispose()
        server.close()
        loop.shutdown()
    }

    private static func form(_ text: String) -> [String: String] {
        let pairs = text.split(separator: "&").map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
        return Dictionary(pairs.filter { $0.count == 2 }.map { ($0[0], $0[1].removingPercentEncoding ?? "") }) { $1 }
    }
}

extension ChaosAuthority.State {
    mutating func response(to request: RecordedRequest) -> ScriptedResponse {
        if demandsScope, request.path.hasSuffix("9"), ledger.lacks("more", request.bearerToken) {
            return ScriptedResponse(
                status: .forbidden, headers: [.wwwAuthenticate: #"Bearer error="insufficient_scope", scope="more""#])
        }
        return ledger.use(request.bearerToken, by: request.path)
            ? .json("{\"path\":\"\(request.path)\"}") : ExpiryResponse.unauthorized.response
    }

    /// Redirects the browser back to the program. The code is the challenge, so that the verifier can be checked.
    mutating func authorize(_ query: [String: String]) -> ScriptedResponse {
        let code = query["code_challenge"] ?? ""
        codes[code] = query["scope"]?.replacing("+", with: " ") ?? ""
        return ScriptedResponse(
            status: .found,
            headers: [.location: "\(query["redirect_uri"] ?? "")?code=\(code)&state=\(query["state"] ?? "")"])
    }

    mutating func token(code: String, verifier: String) -> ScriptedResponse {
        guard let scope = codes.removeValue(forKey: code), Base64URL.encoded(Digest.sha256(verifier.utf8)) == code
        else {
            return .json(#"{"error":"invalid_grant"}"#, status: .badRequest)
        }
        let tokens = ledger.login(scope: scope)
        return response(with: tokens).after(random.duration(0...100))
    }

    mutating func token(_ refreshToken: String?, by client: String) -> ScriptedResponse {
        let fault = random.once(in: 3) ? pickedFault() : nil
        if let fault { faults[fault, default: 0] += 1 }
        switch fault {
        case .hang: return ScriptedResponse().reset(after: 0).after(random.duration(hangTime))
        case .reset: return ScriptedResponse().reset(after: 0)
        case .tooMany: return failure(.tooManyRequests, retryAfter: 1)
        case .unavailable: return failure(.serviceUnavailable, retryAfter: random.once(in: 3) ? 1 : nil)
        case .garbage: return garbage()
        case .slow: return exchange(refreshToken, by: client).after(random.duration(50...800))
        case .withheld:
            return exchange(refreshToken, by: client, isWithheld: true).reset(after: 0).after(random.duration(0...200))
        case nil: return exchange(refreshToken, by: client)
        }
    }

    /// Picks a fault. A lost response ends the session, so it is rare.
    private mutating func pickedFault() -> ChaosAuthority.Fault {
        if random.once(in: 12) { return .withheld }
        return ChaosAuthority.Fault.allCases.filter { $0 != .withheld }.randomElement(using: &random)!
    }

    private mutating func exchange(
        _ refreshToken: String?, by client: String, isWithheld: Bool = false
    ) -> ScriptedResponse {
        guard let tokens = ledger.refresh(refreshToken, by: client, isWithheld: isWithheld) else {
            return .json(#"{"error":"invalid_grant"}"#, status: .badRequest)
        }
        return response(with: tokens)
    }

    private func response(with tokens: ChaosLedger.Tokens) -> ScriptedResponse {
        .json(
            """
            {"access_token":"\(tokens.access)","token_type":"Bearer","refresh_token":"\(tokens.refresh)",
             "scope":"\(ledger.scope(of: tokens))"}
            """)
    }

    private func failure(_ status: HTTPResponse.Status, retryAfter: Int?) -> ScriptedResponse {
        var response = ScriptedResponse(status: status)
        if let retryAfter { response.headers[.retryAfter] = "\(retryAfter)" }
        return response
    }

    private mutating func garbage() -> ScriptedResponse {
        let texts = ["", "<html>it works</html>", "{\"access_token\":", "{\"access_token\":7}", "[]", "{}"]
        return .json(texts.randomElement(using: &random)!)
    }
}
