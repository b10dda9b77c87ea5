import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetLoop
import FreshetTesting
import HTTPTypes

/// A strict OAuth server whose token endpoint fails in every way.
/// It rotates refresh tokens and exchanges each of them once. A refresh token that is sent again ends its session.
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
        /// The range of the time for which an endpoint hangs.
        var patience: ClosedRange<Int>
    }

    private let server: ScriptedServer
    private let loop: Loop
    private let state: Locked<State>
    /// The requests whose client had left before the response was sent.
    private let left = Locked<Set<String>>([])
    private let leaving = SingleAssignmentDisposable()

    init(seed: UInt64, uses: Int, longestHang: Duration) throws {
        var random = SplitMix64(seed: seed)
        let ledger = ChaosLedger(uses: uses, seed: random.next())
        let longest = Int(longestHang / .milliseconds(1))
        state = Locked(State(ledger: ledger, random: random, patience: 100...longest))
        loop = try Loop(name: "authority")
        server = try ScriptedServer(on: loop, script: ResponseScript(keepsRequests: false))
        let (state, left) = (state, left)
        leaving.setDisposable(
            server.script.abandonments.subscribe(onNext: { request in
                left.withLock { _ = $0.insert(request.path) }
            }))
        server.route(.post, "/token") { request in
            let form = Self.form(request)
            return state.withLock { $0.token(form["refresh_token"], by: form["client_id"] ?? "") }
        }
        server.route(.post, "/revoke") { request in
            let form = Self.form(request)
            state.withLock { $0.ledger.revoke(form["token"]) }
            return ScriptedResponse()
        }
        server.route { request in
            state.withLock { $0.ledger.use(request.bearerToken, by: request.path) }
                ? .json("{\"path\":\"\(request.path)\"}") : ExpiryResponse.unauthorized.response
        }
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

    /// The tokens consist of letters, so that nothing has to be decoded.
    private static func form(_ request: RecordedRequest) -> [String: String] {
        let pairs = request.text.split(separator: "&").map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
        return Dictionary(pairs.filter { $0.count == 2 }.map { ($0[0], $0[1]) }) { $1 }
    }
}

extension ChaosAuthority.State {
    mutating func token(_ refreshToken: String?, by client: String) -> ScriptedResponse {
        let fault = random.once(in: 3) ? pickedFault() : nil
        if let fault { faults[fault, default: 0] += 1 }
        switch fault {
        case .hang: return ScriptedResponse().reset(after: 0).after(random.duration(patience))
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
        return .json(
            "{\"access_token\":\"\(tokens.access)\",\"token_type\":\"Bearer\",\"refresh_token\":\"\(tokens.refresh)\"}")
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
