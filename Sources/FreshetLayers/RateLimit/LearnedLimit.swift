import FreshetCore
import HTTPTypes

/// A limit that is learned from the responses of a server.
///
/// `Retry-After` of a 429, a 503 or a 403 stops all requests. The fields of a window give the number of requests that are
/// left in it. After a 429 that states its time in one of these ways, requests are sent at the rate at which they were sent
/// before, so that those that waited are not sent all at once. Any other 429 halves the rate. The rate then grows by 5 % per
/// second.
struct LearnedLimit: Sendable {
    private static let slowest = 0.5
    private static let growth = 1.05
    /// In seconds. Sent requests are counted over this time, to measure the rate.
    private static let window = 10.0

    private struct Window: Sendable {
        var remaining: Int
        var limit: Int?
        var end: Instant
        var length: Duration
        /// Whether the window has ended and the next one is unknown.
        var isOver = false
    }

    /// The requests that were sent within a second. Their number takes no memory, however many there are.
    private struct SentRequests: Sendable {
        let start: Instant
        var count: Int
    }

    /// The longest time, in seconds, for which a response can stop requests.
    private let longestPause: Double
    private var blockedUntil: Instant?
    private var current: Window?
    private var bucket: TokenBucket?
    private var lastGrowth: Instant?
    private var lastHalving: Instant?
    /// In the order of their times. Those older than ``window`` are removed.
    private var sent: [SentRequests] = []
    private var inFlight = 0

    init(longestPause: Duration) {
        self.longestPause = min(longestPause / .seconds(1), TokenBucket.longestWait)
    }

    /// The time until a request may be sent; zero if it may be sent now.
    mutating func wait(at now: Instant) -> Duration {
        if let blockedUntil {
            if blockedUntil > now { return now.duration(to: blockedUntil) }
            self.blockedUntil = nil
        }
        if var window = current {
            if window.end <= now {
                // Only the limit of the next window is known. Without a known limit, one request is sent to learn the next
                // window, and another after a second, because the first one can fail.
                window.isOver = window.limit == nil
                window.remaining = window.limit ?? 1
                window.end = now.advanced(by: window.isOver ? .seconds(1) : max(window.length, .seconds(1)))
                current = window
            }
            if window.remaining <= 0 { return now.duration(to: window.end) }
        }
        grow(at: now)
        return bucket?.wait(at: now) ?? .zero
    }

    mutating func take(at now: Instant) {
        inFlight += 1
        current?.remaining -= 1
        bucket?.take()
        if let last = sent.indices.last, sent[last].start.duration(to: now) < .seconds(1) {
            sent[last].count += 1
        } else {
            sent.removeAll { $0.start.duration(to: now) > .seconds(Self.window) }
            sent.append(SentRequests(start: now, count: 1))
        }
    }

    /// Ends the credit for late timers, because no caller waits any more.
    mutating func endWait() { bucket?.endWait() }

    /// A request has ended, with this response if it got one.
    ///
    /// - Parameter sendTime: when the request was sent.
    mutating func receive(
        _ status: HTTPResponse.Status?, _ fields: RateLimitFields?, sentAt sendTime: Instant, at now: Instant
    ) {
        inFlight = max(0, inFlight - 1)
        guard let status, let fields else { return }
        let statesTime = fields.retryAfter != nil || fields.remaining == 0
        // GitHub limits requests with 403 too.
        let isThrottled = status == .tooManyRequests || (status == .forbidden && statesTime)
        if let delay = fields.retryAfter, isThrottled || status == .serviceUnavailable {
            let end = now.advanced(by: pause(delay))
            blockedUntil = max(blockedUntil ?? end, end)
        }
        if let remaining = fields.remaining, let reset = fields.reset {
            let length = pause(reset)
            // The server has not yet counted the requests that are on their way.
            current = Window(
                remaining: max(0, remaining - inFlight), limit: fields.limit, end: now.advanced(by: length),
                length: length)
        } else if current?.isOver == true, status.code < 500 {
            // The server states no window any more. An error of a gateway says nothing about that.
            current = nil
        }
        guard isThrottled else { return }
        let rate = min(bucket?.rate ?? .infinity, measuredRate(at: now))
        if statesTime {
            limit(to: rate, at: now)
            // Nothing is known of the time in which no request may be sent.
            lastGrowth = [now, blockedUntil, current?.end].compactMap(\.self).max()
        } else if lastHalving.map({ $0 < sendTime }) ?? true {
            // As in TCP: the responses to requests that were sent before the last halving report the same overload.
            lastHalving = now
            limit(to: rate / 2, at: now)
        }
    }

    // The number of a server can be too large for a `Duration`.
    private func pause(_ seconds: Double) -> Duration { .seconds(min(seconds, longestPause)) }

    private func measuredRate(at now: Instant) -> Double {
        let span = sent.first.map { max(1, $0.start.duration(to: now) / .seconds(1)) } ?? 1
        return Double(sent.reduce(0) { $0 + $1.count }) / span
    }

    private mutating func limit(to rate: Double, at now: Instant) {
        var bucket = TokenBucket(rate: max(Self.slowest, rate), burst: 1, at: now)
        bucket.drain()
        self.bucket = bucket
        lastGrowth = now
    }

    private mutating func grow(at now: Instant) {
        guard var bucket, let lastGrowth else { return }
        let seconds = lastGrowth.duration(to: now) / .seconds(1)
        guard seconds >= 1 else { return }
        for _ in 0..<min(Int(seconds), 600) { bucket.rate *= Self.growth }
        self.lastGrowth = now
        // No program sends this fast, so the limit is dropped.
        self.bucket = bucket.rate > 1e6 ? nil : bucket
    }
}
