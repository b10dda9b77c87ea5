import FreshetHTTP
import HTTPTypes

/// How long a response is fresh, and how old it is. Source: RFC 9111 section 4.2.
struct Freshness: Sendable, Hashable {
    /// In seconds.
    let lifetime: Double
    let age: Double
    /// Whether the clock was set back since the response was received. The age is then unknown and would not grow until the clock
    /// has caught up, so the response counts as stale.
    let isFromFuture: Bool

    var isFresh: Bool { lifetime > age && !isFromFuture }
    /// How many seconds the response has been stale.
    var staleness: Double { isFromFuture ? .infinity : age - lifetime }

    /// In seconds. A clock is corrected by less all the time.
    private static let tolerance = 5.0

    /// - Parameters:
    ///   - control: that of the response.
    ///   - now: in seconds since 1970.
    init(of response: CachedResponse, _ control: CacheControl, at now: Double) {
        lifetime = Self.lifetime(of: response, control)
        age = Self.age(of: response, at: now)
        isFromFuture = now < response.responseTime - Self.tolerance
    }

    private static func lifetime(of response: CachedResponse, _ control: CacheControl) -> Double {
        let fields = response.head.headerFields
        if let seconds = control.seconds("max-age") { return seconds }
        let date = response.date
        if fields.contains(.expires) {
            let lines = fields[values: .expires]
            guard lines.count == 1, let end = CacheDate.secondsSince1970(lines[0]) else { return 0 }
            return end - date
        }
        guard let modified = fields[.lastModified].flatMap(CacheDate.secondsSince1970), modified <= date,
            CacheRules.isHeuristicallyCacheable(response.head.status, control)
        else { return 0 }
        return (date - modified) / 10
    }

    private static func age(of response: CachedResponse, at now: Double) -> Double {
        let received = receivedAge(response.head.headerFields)
        let corrected = received + (response.responseTime - response.requestTime)
        let apparent = max(0, response.responseTime - response.date)
        return max(apparent, corrected) + max(0, now - response.responseTime)
    }

    /// The first member of the field. A value that is not a number of seconds is ignored. Source: RFC 9111 section 5.1.
    private static func receivedAge(_ fields: HTTPFields) -> Double {
        guard let line = fields[values: .age].first else { return 0 }
        let first = line.split(separator: ",", omittingEmptySubsequences: false)[0].filter { $0 != " " && $0 != "\t" }
        return CacheControl.seconds(of: first) ?? 0
    }
}
