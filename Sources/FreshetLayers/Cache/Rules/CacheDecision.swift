import FreshetHTTP
import HTTPTypes

/// What a stored response is good for, when a request comes. Source: RFC 9111 sections 4.2.4, 4.3 and 5.2.1, RFC 5861.
enum CacheDecision: Sendable, Hashable {
    case fresh(age: Int)
    /// The request or the response allows a stale one; the server is not asked.
    case stale(age: Int)
    /// The same, and the server is asked meanwhile.
    case staleWhileRevalidating(age: Int)
    /// The server is asked first.
    case validate
    /// There is nothing that can be used, and the request wants nothing else.
    case unsatisfiable

    init(_ response: CachedResponse, for request: HTTPFields, at now: Double) {
        let freshness = Freshness(of: response, at: now)
        let age = Int(freshness.age)
        let asked = CacheControl(request)
        let control = CacheControl(response.head.headerFields)
        let isPragma =
            !request.contains(.cacheControl) && request[HTTPField.Name("Pragma")!]?.lowercased() == "no-cache"
        let mustValidate = control.contains("no-cache") || asked.contains("no-cache") || isPragma
        let isOnlyCached = asked.contains("only-if-cached")
        if mustValidate {
            self = isOnlyCached ? .unsatisfiable : .validate
            return
        }
        let isYoungEnough = asked.seconds("max-age").map { freshness.age <= $0 } ?? true
        let remains = freshness.lifetime - freshness.age
        if freshness.isFresh, isYoungEnough, remains >= asked.seconds("min-fresh") ?? 0 {
            self = .fresh(age: age)
            return
        }
        let allowsStale = !control.contains("must-revalidate") && asked.seconds("min-fresh") == nil
        if allowsStale, isYoungEnough || asked.contains("max-stale") {
            if asked.isBare("max-stale") || asked.seconds("max-stale").map({ freshness.staleness <= $0 }) ?? false {
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

    /// The age of a response that is served because the server has failed; `nil` if it may not be.
    static func ageIfServerFailed(_ response: CachedResponse, for request: HTTPFields, at now: Double) -> Int? {
        let freshness = Freshness(of: response, at: now)
        let control = CacheControl(response.head.headerFields)
        guard !control.contains("must-revalidate"), !control.contains("no-cache") else { return nil }
        let window = [control.seconds("stale-if-error"), CacheControl(request).seconds("stale-if-error")]
            .compactMap { $0 }.max()
        guard let window, freshness.staleness < window else { return nil }
        return Int(freshness.age)
    }
}
