import FreshetHTTP
import HTTPTypes

/// How a stored response is used for a request. Source: RFC 9111 sections 4.2.4, 4.3 and 5.2.1, RFC 5861.
enum CacheDecision: Sendable, Hashable {
    case fresh(age: Int)
    /// The request or the response allows a stale response. It is served without a request to the server.
    case stale(age: Int)
    /// The stale response is served, and the server validates it in the meantime.
    case staleWhileRevalidating(age: Int)
    /// The server validates the response before it is served.
    case validate
    /// No stored response can be used, and the request accepts only stored ones.
    case unsatisfiable

    init(_ response: CachedResponse, for request: HTTPFields, at now: Double) {
        let requested = CacheControl(request)
        let control = CacheControl(response.head.headerFields)
        let freshness = Freshness(of: response, control, at: now)
        let age = Int(freshness.age)
        let isOnlyCached = requested.contains("only-if-cached")
        if control.contains("no-cache") || Self.wantsValidation(request, requested) {
            self = isOnlyCached ? .unsatisfiable : .validate
            return
        }
        let isYoungEnough = requested.seconds("max-age").map { freshness.age <= $0 } ?? true
        let remains = freshness.lifetime - freshness.age
        if freshness.isFresh, isYoungEnough, remains >= requested.seconds("min-fresh") ?? 0 {
            self = .fresh(age: age)
            return
        }
        let allowsStale = !control.contains("must-revalidate") && requested.seconds("min-fresh") == nil
        if allowsStale {
            // `max-stale` counts from the age that the request accepts, if that is less than the lifetime.
            let excess = max(freshness.staleness, freshness.age - (requested.seconds("max-age") ?? .infinity))
            if requested.isBare("max-stale") || requested.seconds("max-stale").map({ excess <= $0 }) ?? false {
                self = .stale(age: age)
                return
            }
            if isYoungEnough, let window = control.seconds("stale-while-revalidate"), freshness.staleness < window {
                self = isOnlyCached ? .stale(age: age) : .staleWhileRevalidating(age: age)
                return
            }
        }
        self = isOnlyCached ? .unsatisfiable : .validate
    }

    /// Whether a request accepts no stored response without a validation. Source: RFC 9111 sections 5.2.1.4 and 5.4.
    private static func wantsValidation(_ request: HTTPFields, _ requested: CacheControl) -> Bool {
        if request.contains(.cacheControl) { return requested.contains("no-cache") }
        return request[HTTPField.Name("Pragma")!]?.lowercased() == "no-cache"
    }

    /// The age of a stored response that may be served because the server has failed; `nil` if it may not be served.
    static func ageIfServerFailed(_ response: CachedResponse, for request: HTTPFields, at now: Double) -> Int? {
        let requested = CacheControl(request)
        let control = CacheControl(response.head.headerFields)
        let freshness = Freshness(of: response, control, at: now)
        guard !control.contains("must-revalidate"), !control.contains("no-cache") else { return nil }
        let own = requested.seconds("stale-if-error")
        // The server's permission does not override a request that accepts no stale response.
        if own == nil, wantsValidation(request, requested) { return nil }
        let window = [control.seconds("stale-if-error"), own].compactMap { $0 }.max()
        guard let window, freshness.staleness < window else { return nil }
        return Int(freshness.age)
    }
}
