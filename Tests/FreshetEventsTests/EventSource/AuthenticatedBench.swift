import FreshetAuth
import FreshetCore
import FreshetEvents
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes

/// Event streams that require a token, on virtual time.
/// The server sends ten numbers per second on each stream, beginning after its last one. Each refresh replaces both tokens:
/// `a1` and `r1`, then `a2` and `r2`…
final class AuthenticatedBench: @unchecked Sendable {
    let scheduler: TestScheduler
    let api: StubTransport
    let identity: StubTransport
    let gate: RefreshGate
    let client: HTTPClient
    /// The number of the tokens, and whether the access token is valid.
    private let tokens = Locked((newest: 1, works: true))
    private let expiry = PublishSubject<Void>()
    /// The time before the head of each stream.
    var delay: Duration? {
        get { delays.withLock { $0 } }
        set { delays.withLock { $0 = newValue } }
    }
    private let delays = Locked<Duration?>(nil)
    /// How many seconds the wall clock has been set forward since the beginning.
    private let jump = Locked(0.0)
    /// Whether each event arrives as two pieces, 50 ms apart.
    private let comesInHalves: Bool

    /// - Parameters:
    ///   - lifetime: the life of every token in seconds; by default the server does not send it.
    ///   - lag: how many seconds the wall clock is behind.
    ///   - tick: the scheduler's unit of time, in seconds.
    init(
        lifetime: Int? = nil, inHalves comesInHalves: Bool = false, wallClockLag lag: Double = 0, tick: Double = 0.001
    ) throws {
        self.comesInHalves = comesInHalves
        scheduler = TestScheduler(initialClock: 0, resolution: tick, simulateProcessingDelay: false)
        api = StubTransport(scheduler: scheduler)
        identity = StubTransport(scheduler: scheduler)
        let clock: @Sendable () -> Double = { [scheduler, jump] in
            1000 - lag + jump.withLock { $0 } + scheduler.now.sinceStart / .seconds(1)
        }
        let first = Credential(
            accessToken: "a1", refreshToken: "r1", expiresAt: lifetime.map { 1000 + Double($0) }, generation: 1)
        let authenticator = try OAuthAuthenticator(
            tokenURL: try RequestURL("https://id.example/token"),
            client: HTTPClient(transport: identity, scheduler: scheduler), secondsSince1970: clock)
        let authentication = AuthenticationInterceptor(
            authenticator: authenticator, store: MemoryStore(first), origins: [try Origin("https://api.example")],
            scheduler: scheduler, secondsSince1970: clock)
        gate = authentication.gate
        client = HTTPClient(transport: api, scheduler: scheduler, interceptors: [authentication])
        respond(lifetime.map { #","expires_in":\#($0)"# } ?? "")
    }

    private func respond(_ expiresIn: String) {
        identity.route { [tokens] request in
            tokens.withLock { tokens in
                guard request.text.contains("r\(tokens.newest)") else { return .json("{}", status: .badRequest) }
                tokens = (tokens.newest + 1, true)
                let pair = #""access_token":"a\#(tokens.newest)","refresh_token":"r\#(tokens.newest)""#
                return ScriptedResponse.json("{\(pair)\(expiresIn)}").after(.milliseconds(50))
            }
        }
        api.route { [tokens, scheduler, expiry, comesInHalves, delays] request in
            guard tokens.withLock({ $0.works && request.bearerToken == "a\($0.newest)" }) else {
                return ScriptedResponse(status: .unauthorized, body: "expired")
            }
            let last = request.headers[.lastEventID].flatMap { Int($0) } ?? 0
            let pieces = comesInHalves ? 2 : 1
            let numbers = Observable<Int>.interval(.milliseconds(100) / pieces, scheduler: scheduler)
                .map { tick in
                    let event = "id: \(tick / pieces + last + 1)\ndata: x\n\n"
                    if pieces == 1 { return Array(event.utf8) }
                    return Array((tick.isMultiple(of: 2) ? event.dropLast(4) : event.suffix(4)).utf8)
                }
            let stream = ScriptedResponse.streaming(
                numbers.take(until: expiry), headers: [.contentType: "text/event-stream"])
            return delays.withLock { $0 }.map { stream.after($0) } ?? stream
        }
    }

    func endStreams() { expiry.onNext(()) }

    /// Makes the server refuse the access token, and end its streams if `endingStreams`.
    func expire(endingStreams: Bool = true) {
        tokens.withLock { $0.works = false }
        if endingStreams { endStreams() }
    }

    /// Sets the wall clock forward by `seconds`, or back.
    func setWallClock(by seconds: Double) { jump.withLock { $0 += seconds } }

    /// Follows `count` streams.
    func follow(
        _ count: Int = 1, reopening: EventSource.Settings.Reopening = .onExpiry,
        settings: EventSource.Settings = .init()
    ) throws -> [StreamRecorder] {
        var settings = settings
        settings.reopening = reopening
        let request = try Request(.get, "https://api.example/events")
        return (0..<count).map { _ in StreamRecorder(of: EventSource(request, by: client, settings: settings)) }
    }
}

/// Records the events of one stream.
final class StreamRecorder: @unchecked Sendable {
    private(set) var numbers: [Int] = []
    private(set) var opened = 0
    private(set) var reasons: [String] = []
    private(set) var error: (any Error)?
    private let subscription = SingleAssignmentDisposable()

    init(of source: EventSource) {
        subscription.setDisposable(
            source.signals.subscribe { [self] event in
                switch event {
                case .next(.event(let event)): numbers.append(Int(event.id) ?? 0)
                case .next(.open): opened += 1
                case .next(.reconnecting(_, .failed(let error))):
                    reasons.append((error as? HTTPClientError)?.code.rawValue ?? "?")
                case .next(.reconnecting(_, let reason)): reasons.append("\(reason)")
                case .error(let error): self.error = error
                default: break
                }
            })
    }

    /// Whether every number arrived once and in order.
    var isWhole: Bool { numbers == Array(1...max(1, numbers.count)) }
    var code: HTTPClientError.Code? { (error as? HTTPClientError)?.code }

    func dispose() { subscription.dispose() }
}
