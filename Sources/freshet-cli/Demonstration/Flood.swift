import Freshet
import FreshetHTTPTesting
import Synchronization

/// Sends very many requests at once and follows one event stream, at a server whose tokens expire several times in the meantime.
final class Flood: Sendable {
    static let expiries = 3
    /// The prefix of the requests' paths.
    static let items = "/items/"
    /// The descriptors for the loops, the refresh, the event stream and the process itself.
    private static let spareDescriptors = 40

    let log = FloodLog()
    let count: Int
    /// How many connections carry the requests: 512, or fewer if there are not two descriptors for each.
    let connections: Int
    let server: TokenServer
    private let client: HTTPClient
    private let gate: RefreshGate
    private let runtime: FreshetRuntime
    private let serverLoop: Loop
    private let events = Atomic<Int>(0)
    private let streams = Atomic<Int>(0)
    private let missing = Atomic<Int>(0)
    private let last = Atomic<Int>(0)
    /// Emits at each event of the stream.
    private let beats = PublishSubject<Void>()

    init(of count: Int) throws {
        self.count = count
        // Client and server share this process, so each connection needs two descriptors.
        let descriptors = OpenFiles.raiseLimit() - Self.spareDescriptors
        guard descriptors >= 2 else {
            throw HTTPClientError(
                .overloaded, phase: .preparing,
                message: "a server and its clients need \(Self.spareDescriptors + 2) open files",
                recoverySuggestion: "raise `ulimit -n`")
        }
        connections = min(512, descriptors / 2)
        serverLoop = try Loop(name: "server")
        var rules = TokenServer.Rules(expiry: .evenlySpread(overRequests: count, expiries: Self.expiries))
        rules.refreshDelay = .milliseconds(20)
        rules.responseDelay = .milliseconds(2)
        rules.eventInterval = .milliseconds(5)
        server = try TokenServer(on: serverLoop, rules: rules)

        var configuration = FreshetRuntime.Configuration()
        configuration.transport.pool.maximumConnections = connections
        configuration.transport.pool.maximumConnectionsPerOrigin = connections
        configuration.transport.pool.queueLimit = count
        configuration.client.timeout = .seconds(60 + count / 500)
        runtime = try FreshetRuntime(configuration: configuration)

        let tokens = server.signIn()
        let credential = Credential(accessToken: tokens.accessToken, refreshToken: tokens.refreshToken)
        let authenticator = try OAuthAuthenticator(
            tokenURL: RequestURL(server.tokenURL), clientID: "demo", client: runtime.refreshClient)
        var settings = RefreshGate.Settings()
        // All requests start together, so the last ones meet every expiry.
        settings.maximumReplays = Self.expiries
        gate = runtime.gate(store: MemoryStore(credential), authenticator: authenticator, settings: settings)
        client = try runtime.client(
            authenticatedBy: gate, authenticator, origins: [server.url], interceptors: [RequestRecorder(log: log)])
    }

    func shutdown() {
        runtime.shutdown()
        server.close()
        serverLoop.shutdown()
    }

    /// Sends all requests at once, as soon as the event stream runs. Completes when each request has its response or its error,
    /// and the stream has continued after that.
    func run() -> Observable<Never> {
        .create { observer in
            let refreshes = self.gate.refreshes.subscribe(onNext: { self.log.record($0) })
            let requests = Observable.from(1...self.count).flatMap { self.request($0) }
            let (before, after) = (
                self.waitForEvents(upTo: 1, within: .seconds(2)), self.waitForEvents(upTo: 8, within: .seconds(0.5))
            )
            let work = Observable.concat(before, requests, after)
                .subscribe(onError: observer.onError, onCompleted: observer.onCompleted)
            let stream = self.follow().subscribe()
            return Disposables.create(work, stream, refreshes)
        }
    }

    /// Waits for `count` events of the stream, for at most `limit`. Completes in both cases.
    private func waitForEvents(upTo count: Int, within limit: Duration) -> Observable<Never> {
        let limit = Observable<Int>.timer(limit, scheduler: runtime.scheduler).map { _ in }
        return Observable.merge(beats.take(count).takeLast(1), limit).take(1).ignoreElements()
    }

    private func request(_ number: Int) -> Observable<Never> {
        let path = "\(Self.items)\(number)"
        return .create { observer in
            guard let request = try? Request(.get, self.server.url + path) else { return Disposables.create() }
            let replays = Atomic<Int>(0)
            return self.client.events(request)
                .map { event in
                    self.record(event, of: number, replays)
                    return event
                }
                .collected(limit: 1 << 16, origin: request.url.origin)
                .subscribe { result in
                    let isRight = (try? result.get()).map { $0.status == .ok && $0.text == "{\"path\":\"\(path)\"}" }
                    self.log.record(isRight == true ? .answered : .lost, of: number)
                    observer.onCompleted()
                }
        }
    }

    private func record(_ event: RequestEvent, of number: Int, _ replays: borrowing Atomic<Int>) {
        switch event {
        case .attempt(_, let request):
            let mark = request.tags[AppliedCredential.self]?.replays ?? 0
            log.record(mark > replays.exchange(mark, ordering: .relaxed) ? .replayed : .sent, of: number)
        default: break
        }
    }
}

extension Flood {
    /// The number of events that arrived on the stream, of its connections, and of the event numbers that are missing.
    var streamed: (events: Int, connections: Int, missing: Int) {
        (events.load(ordering: .acquiring), streams.load(ordering: .acquiring), missing.load(ordering: .acquiring))
    }

    /// The event stream. It continues after its last event whenever its token has expired.
    private func follow() -> Observable<EventSource.Signal> {
        .deferred {
            var settings = EventSource.Settings()
            // The demonstration is shorter than the pause that the standard recommends.
            settings.reconnectionTime = .zero
            let request = try Request(.get, self.server.eventsURL)
            return EventSource(request, by: self.client, settings: settings).signals.do(onNext: self.record)
        }
    }

    @Sendable
    private func record(_ signal: EventSource.Signal) {
        switch signal {
        case .open:
            streams.add(1, ordering: .relaxed)
            log.record(.opened)
        case .event(let event):
            let number = Int(event.id) ?? 0
            missing.add(number - last.exchange(number, ordering: .relaxed) - 1, ordering: .relaxed)
            events.add(1, ordering: .relaxed)
            log.record(.event)
            beats.onNext(())
        case .reconnecting:
            log.record(.ended)
        default: break
        }
    }
}

/// Runs before the interceptor that refreshes, and records what that interceptor is asked.
private struct RequestRecorder: RequestInterceptor {
    let log: FloodLog

    func adapt(_ request: inout Request) -> Adaptation {
        let isFirst = request.tags[AppliedCredential.self] == nil
        if isFirst, let number = number(of: request) { log.record(.asked, of: number) }
        return .ready
    }

    func retry(_ attempt: Attempt) -> Single<RetryResult> {
        if let number = number(of: attempt.request), case .response(let response) = attempt.outcome,
            response.status == .unauthorized
        {
            log.recordRefused(number, with: attempt.request.tags[AppliedCredential.self]?.generation ?? 0)
        }
        return .just(.doNotRetry)
    }

    /// The number of `request`; `nil` if it is the event stream's.
    private func number(of request: Request) -> Int? {
        let path = request.url.path
        return path.hasPrefix(Flood.items) ? Int(path.dropFirst(Flood.items.count)) : nil
    }
}
