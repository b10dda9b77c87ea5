public import FreshetCore
public import FreshetHTTP
import HTTPTypes

/// Sends no more requests than a rate allows, separately for each origin and account.
///
///     client.with(layers: [RateLimit(.fixed(perSecond: 20, burst: 5), scheduler: runtime.scheduler)])
///
/// Requests wait in a queue, those with a higher ``RequestPriority`` first. Waiting counts towards the request's timeout. A
/// request that is sent again after a failure waits again. A long-lived response counts once, at its beginning.
///
/// Without a stated account (`RequestAccount`), each value of `Authorization` counts as an account, and each `Cookie` of a caller or
/// an interceptor. A `CookieJar` counts as one account whatever its cookies are, because a server can change them with each
/// response. A program that makes a jar for each task therefore states an account, or has a limit for each task. An
/// interceptor that signs each request anew has to state its account. Otherwise each request has a limit of its own.
public struct RateLimit: TransportLayer {
    /// How the rate is determined.
    public enum Rule: Sendable, Hashable {
        /// A number of requests per second, above zero, and how many of them can be sent at once after a pause.
        case fixed(perSecond: Double, burst: Int = 1)
        /// The rate that the server's responses state: `Retry-After`, `RateLimit`, `X-RateLimit-*` and the fields of OpenAI and
        /// Anthropic. Requests that have waited for a stated time are sent at the rate of those before it. A 429 without one
        /// halves the rate, once for all requests in flight. The rate then grows by 5 % per second.
        case learned
    }

    private let rule: Rule
    private let maximumWait: Duration?
    private let longestRetryAfter: Duration
    private let scheduler: any SchedulerType
    private let secondsSince1970: @Sendable () -> Double

    /// - Parameters:
    ///   - rule: how the rate is determined.
    ///   - maximumWait: a request that would wait longer fails at once with code `overloaded`; `nil` is no limit.
    ///   - longestRetryAfter: the longest time for which a response can stop a learned limit's requests. Then they are sent
    ///     again.
    ///   - scheduler: the clock of the waits.
    ///   - secondsSince1970: the wall clock, for servers that state a time without a `Date`.
    @preconcurrency
    public init(
        _ rule: Rule, maximumWait: Duration? = nil, longestRetryAfter: Duration = .seconds(3600),
        scheduler: any SchedulerType,
        secondsSince1970: @escaping @Sendable () -> Double = WallClock.secondsSince1970
    ) {
        if case .fixed(let rate, _) = rule {
            precondition(rate > 0 && rate.isFinite, "RateLimit needs a rate above zero")
        }
        self.rule = rule
        self.maximumWait = maximumWait
        self.longestRetryAfter = longestRetryAfter
        self.scheduler = scheduler
        self.secondsSince1970 = secondsSince1970
    }

    public func wrapping(_ transport: any Transport) -> any Transport {
        // A queue that the table has dropped stays alive until its waiting requests have ended.
        let queues = BoundedTable<Key, RateLimitQueue>()
        return ObservableTransport(unprepared: { [self] request, receiver in
            // A new token or cookie must not begin with a new limit.
            receiver.withOwner(of: request, ignoringRotation: true) { owner in
                let jars = owner?.isLogin == true ? nil : request.tags[CookieJars.self]
                let key = Key(origin: request.url.origin, owner: owner, jars: jars)
                let queue = queues.change(
                    key,
                    or: RateLimitQueue(
                        rule, maximumWait: maximumWait, longestPause: longestRetryAfter, scheduler: scheduler)
                ) { $0 }
                let permit = RateLimitPermit()
                let parts = queue.turn(of: request, permit).materialize().flatMap { turn -> Observable<ResponsePart> in
                    switch turn {
                    case .next(let wait):
                        let parts = transport.parts(request, for: receiver)
                        guard wait > .zero else { return parts }
                        return parts.startWith(.phase(.layer(LayerEvent("rate_limit", "waited", for: wait))))
                    case .error(let error): return .refused(LayerEvent("rate_limit", "refused"), error)
                    case .completed: return .empty()
                    }
                }
                return limited(parts, by: queue, permit)
            }
        })
    }

    private struct Key: Hashable {
        let origin: Origin
        let owner: PartitionKey?
        /// The jars whose cookies may say whose the request is.
        let jars: CookieJars?
    }

    private func limited(
        _ parts: Observable<ResponsePart>, by queue: RateLimitQueue, _ permit: RateLimitPermit
    ) -> Observable<ResponsePart> {
        // A fixed limit learns nothing from a response.
        guard case .learned = rule else { return parts }
        @Sendable
        func end(_ head: HTTPResponse?) {
            guard let sendTime = permit.end() else { return }
            queue.receive(
                head.map { ($0.status, RateLimitFields($0.headerFields, at: secondsSince1970())) }, sentAt: sendTime)
        }
        return parts.do(
            onNext: { part in
                if case .head(let head) = part { end(head) }
            }, onDispose: { end(nil) })
    }
}

/// The priority of a request in the queue of a ``RateLimit``; 0 by default. Requests with a higher priority are sent first, and
/// those with the same priority in the order of their arrival.
public struct RequestPriority: RequestTag, Hashable {
    public let value: Int

    public init(_ value: Int) {
        self.value = value
    }
}
