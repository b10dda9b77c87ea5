import FreshetCore
import FreshetLoop
import HTTPTypes

/// What answers the requests to a ``TokenServer``.
final class TokenService: Sendable {
    let rules: TokenServer.Rules
    let ledger: Locked<TokenLedger>
    let refreshAnswers = Locked<[ScriptedAnswer]>([])
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

    /// Does what ends tokens, and ends the streams.
    func end(_ change: (inout TokenLedger) -> Void) {
        ledger.withLock { change(&$0) }
        streams.end { _ in true }
    }

    func use(_ request: RecordedRequest, resource: () -> ScriptedAnswer) -> ScriptedAnswer {
        let token = rules.accessToken(request)
        switch ledger.withLock({ $0.use(token, at: loop.now) }) {
        case .accepted:
            let answer = resource()
            return rules.answerDelay > .zero ? answer.after(rules.answerDelay) : answer
        case .expired:
            streams.end { $0 == token }
            return rules.expiredSign.answer
        case .unknown:
            return rules.expiredSign.answer
        }
    }

    func token(_ request: RecordedRequest) -> ScriptedAnswer {
        let form = FormFields(request.text)
        switch form["grant_type"] {
        case "refresh_token": return exchange(form["refresh_token"], answer: \.oauthAnswer)
        case "client_credentials":
            return scriptedRefresh ?? ledger.withLock { $0.open(isRenewable: false, at: loop.now) }.oauthAnswer
        default: return .json(#"{"error":"unsupported_grant_type"}"#, status: .badRequest)
        }
    }

    func reissue(_ request: RecordedRequest) -> ScriptedAnswer {
        exchange(
            JSONMember("refreshToken", in: request.body).string ?? request.headers[.refreshToken],
            answer: \.reissueAnswer)
    }

    private func exchange(_ token: String?, answer: (TokenServer.Tokens) -> ScriptedAnswer) -> ScriptedAnswer {
        if let scripted = scriptedRefresh { return scripted }
        let result =
            switch ledger.withLock({ $0.refresh(with: token, at: loop.now) }) {
            case .granted(let tokens): answer(tokens)
            case .refused: rules.refusal
            }
        return rules.refreshDelay > .zero ? result.after(rules.refreshDelay) : result
    }

    private var scriptedRefresh: ScriptedAnswer? {
        refreshAnswers.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }

    func revoke(_ request: RecordedRequest) -> ScriptedAnswer {
        if let token = FormFields(request.text)["token"] { ledger.withLock { $0.revoke(token) } }
        return ScriptedAnswer()
    }

    func events(_ request: RecordedRequest) -> ScriptedAnswer {
        guard let token = rules.accessToken(request),
            ledger.withLock({ $0.admitStream(token, at: loop.now) })
        else { return rules.expiredSign.answer }
        let first = (request.headers[.lastEventID].flatMap { Int($0) } ?? 0) + 1
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
