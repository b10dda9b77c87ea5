import FreshetHTTP
import HTTPTypes

/// The rate limit that the fields of a response state. Malformed fields are ignored. Source:
/// draft-ietf-httpapi-ratelimit-headers, and the documents of GitHub, OpenAI and Anthropic.
struct RateLimitFields: Sendable, Hashable {
    /// From `Retry-After`, in seconds. It takes precedence over all others.
    var retryAfter: Double?
    /// The requests that are left in the window, the time until its reset in seconds, and the number of all requests in
    /// a window.
    var remaining: Int?
    var reset: Double?
    var limit: Int?

    /// - Parameter secondsSince1970: the time by this machine's wall clock.
    init(_ fields: HTTPFields, at secondsSince1970: Double) {
        retryAfter =
            Self.text("retry-after-ms", fields).flatMap { Self.number($0) }.map { max(0, $0) / 1000 }
            ?? fields.retryDelay(at: secondsSince1970).map { $0 / .seconds(1) }
        let now = fields.serverTime(orElse: secondsSince1970)
        if readStructured(fields, now) { return }
        // If a response states several limits, the one with the fewest remaining requests counts; of several of these,
        // the one with the later reset.
        for prefix in ["ratelimit-", "x-ratelimit-", "x-rate-limit-"] {
            read(fields, prefix + "remaining", prefix + "reset", prefix + "limit", now)
        }
        for kind in ["requests", "tokens"] {
            read(
                fields, "x-ratelimit-remaining-\(kind)", "x-ratelimit-reset-\(kind)",
                kind == "requests" ? "x-ratelimit-limit-requests" : nil, now)
        }
        for kind in ["requests", "tokens", "input-tokens", "output-tokens"] {
            let prefix = "anthropic-ratelimit-\(kind)-"
            read(fields, prefix + "remaining", prefix + "reset", kind == "requests" ? prefix + "limit" : nil, now)
        }
    }

    private static func text(_ name: String, _ fields: HTTPFields) -> String? {
        HTTPField.Name(name).flatMap { fields[$0] }?.trimmed
    }

    /// `RateLimit: "default";r=50;t=30`, or several of these, separated by commas.
    private mutating func readStructured(_ fields: HTTPFields, _ now: Double) -> Bool {
        guard let text = Self.text("ratelimit", fields) else { return false }
        var isFound = false
        for policy in text.split(separator: ",") {
            let values = Self.values(policy.split(separator: ";").dropFirst()).compactMapValues { Self.number($0) }
            guard let left = values["r"], let time = values["t"], left >= 0, time >= 0 else { continue }
            isFound = true
            merge(left, time, nil)
        }
        return isFound || readDictionary(text, now)
    }

    /// `RateLimit: limit=100, remaining=50, reset=30`, the form of the seventh draft.
    private mutating func readDictionary(_ text: String, _ now: Double) -> Bool {
        let values = Self.values(text.split(separator: ",")[...])
        guard let left = values["remaining"].flatMap({ Self.number($0) }), left >= 0,
            let time = values["reset"].flatMap({ Self.seconds($0, at: now) })
        else { return false }
        merge(left, time, values["limit"])
        return true
    }

    /// The values of members such as `limit=100`.
    private static func values(_ members: ArraySlice<Substring>) -> [String: String] {
        var values: [String: String] = [:]
        for member in members {
            let parts = member.split(separator: "=", maxSplits: 1).map { String($0).trimmed }
            if parts.count == 2 { values[parts[0]] = parts[1] }
        }
        return values
    }

    private mutating func read(
        _ fields: HTTPFields, _ remaining: String, _ reset: String, _ limit: String?, _ now: Double
    ) {
        guard let left = Self.text(remaining, fields).flatMap({ Self.number($0) }), left >= 0,
            let time = Self.text(reset, fields).flatMap({ Self.seconds($0, at: now) })
        else { return }
        merge(left, time, limit.flatMap { Self.text($0, fields) })
    }

    private mutating func merge(_ left: Double, _ time: Double, _ limit: String?) {
        let left = Int(min(left, 1e9))
        if let remaining, let reset, (remaining, -reset) <= (left, -time) { return }
        // A limit that allows no request would stop all of them for ever, so it counts as unknown.
        let limit = limit.flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
        (remaining, reset, self.limit) = (left, time, limit ?? self.limit)
    }

    /// A number of seconds, a time, `6m0s` or a date. A number above 10^9 is a time in seconds since 1970, and
    /// one above 10^11 in milliseconds.
    static func seconds(_ text: String, at now: Double) -> Double? {
        if let number = number(text), number >= 0 {
            guard number > 1e9 else { return number }
            return max(0, (number > 1e11 ? number / 1000 : number) - now)
        }
        if let duration = duration(text) { return duration }
        if let date = HTTPDate.secondsSince1970(text) { return max(0, Double(date) - now) }
        return secondsSince1970(text).map { max(0, $0 - now) }
    }

    private static func number(_ text: String) -> Double? { Double(text).flatMap { $0.isFinite ? $0 : nil } }

    /// `1h2m3.5s` or `12ms`.
    private static func duration(_ text: String) -> Double? {
        let units: [String: Double] = ["ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86_400]
        var (rest, sum) = (text[...], 0.0)
        while !rest.isEmpty {
            let number = rest.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
            rest = rest.dropFirst(number.count)
            let unit = rest.prefix { $0.isLetter }
            rest = rest.dropFirst(unit.count)
            guard let value = Double(number), let scale = units[String(unit)] else { return nil }
            sum += value * scale
        }
        return text.isEmpty ? nil : sum
    }

    /// `2026-11-23T10:00:00Z`. Source: RFC 3339.
    private static func secondsSince1970(_ text: String) -> Double? {
        guard let match = text.wholeMatch(of: #/(\d{4})-(\d\d)-(\d\d)[Tt](\d\d:\d\d:\d\d)(?:\.\d+)?[Zz]/#) else {
            return nil
        }
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        guard let month = Int(match.2), months.indices.contains(month - 1) else { return nil }
        return HTTPDate.secondsSince1970("Mon, \(match.3) \(months[month - 1]) \(match.1) \(match.4) GMT").map(
            Double.init)
    }
}

extension String {
    fileprivate var trimmed: String {
        let start = drop { $0 == " " || $0 == "\t" }
        return String(start.prefix(start.count - start.reversed().prefix { $0 == " " || $0 == "\t" }.count))
    }
}
