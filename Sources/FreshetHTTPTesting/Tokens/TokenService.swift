import FreshetCore
import FreshetHTTP
import FreshetLoop
import HTTPTypes

/// Creates the responses of a ``TokenServer``.
final class TokenService: Sendable {
    let rules: TokenServer.Rules
    let ledger: Locked<TokenLedger>
    let refreshResponses = Locked(Fifo<ScriptedResponse>())
    private let loop: Loop
    private let streams: EventStreams

    init(on loop: Loop, rules: TokenServer.Rules) {
        self.loop = loop
        self.rules = rules
        ledger = Locked(TokenLedger(rules: rules))
        streams = EventStreams(scheduler: LoopScheduler(loop), interval: rules.eventInterval)
    }

    func signIn() -> TokenServer.Tokens {
        ledger.withLock { $0.open(at: loop.now) }
    }

    /// Applies a change that expires tokens, and ends all event streams.
    func end(_ change: (inout TokenLedger) -> Void) {
        ledger.withLock { change(&$0) }
        streams.end { _ in true }
    }

    func use(_ request: RecordedRequest, resource: () -> ScriptedResponse) -> ScriptedResponse {
        let token = rules.accessToken(request)
        switch ledger.withLock({ $0.use(token, at: loop.now) }) {
        case .accepted:
            let response = resource()
            return rules.responseDelay > .zero ? response.after(rules.responseDelay) : response
        case .expired:
            streams.end { $0 == token }
            return rules.expiryResponse.response
        case .unknown:
            return rules.expiryResponse.response
        }
    }

    func token(_ request: RecordedRequest) -> ScriptedResponse {
        let form = FormFields(request.text)
        switch form["grant_type"] {
        case "refresh_token": return exchange(form["refresh_token"], response: \.oauthResponse)
        case "client_credentials":
            return scriptedRefresh ?? ledger.withLock { $0.open(isRenewable: false, at: loop.now) }.oauthResponse
        default: return .json(#"{"error":"unsupported_grant_type"}"#, status: .badRequest)
        }
    }

    func reissue(_ request: RecordedRequest) -> ScriptedResponse {
        var token = request.headers[.refreshToken]
        if case .object(let members)? = try? JSONValue(request.body), case .string(let text)? = members["refreshToken"]
        {
            token = text
        }
        return exchange(token, response: \.reissueResponse)
    }

    private func exchange(_ token: String?, response: (TokenServer.Tokens) -> ScriptedResponse) -> ScriptedResponse {
        if let scripted = scriptedRefresh { return scripted }
        let result =
            switch ledger.withLock({ $0.refresh(with: token, at: loop.now) }) {
            case .granted(let tokens): response(tokens)
            case .refused: rules.refusal
            }
        return rules.refreshDelay > .zero ? result.after(rules.refreshDelay) : result
    }

    private var scriptedRefresh: ScriptedResponse? {
        refreshResponses.withLock { $0.popFirst() }
    }

    func revoke(_ request: RecordedRequest) -> ScriptedResponse {
        if let token = FormFields(request.text)["token"] { ledger.withLock { $0.revoke(token) } }
        return ScriptedResponse()
    }

    func events(_ request: RecordedRequest) -> ScriptedResponse {
        let token = rules.accessToken(request)
        guard ledger.withLock({ $0.admitStream(token, at: loop.now) }), let token else {
            return rules.expiryResponse.response
        }
        let first = (request.headers[.lastEventID].flatMap { Int($0) } ?? 0).successor
        return .streaming(
            streams.stream(of: token, from: first) { [ledger, loop] in
                ledger.withLock { $0.hasEnded(token, at: loop.now) }
            }, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"])
    }
}

extension HTTPField.Name {
    fileprivate static let refreshToken = HTTPField.Name("X-Refresh-Token")!
    fileprivate static let lastEventID = HTTPField.Name("Last-Event-ID")!
}
