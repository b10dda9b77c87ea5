import FreshetCore
public import HTTPTypes
import Synchronization

/// Keeps the cookies that servers set, and adds them to the requests that they belong to. Source: RFC 6265 section 5.
///
/// The jar is an interceptor: a client without a jar handles no cookies. Redirects and responses that are retried set cookies
/// too, and each hop of a redirect gets its own cookies. A `Cookie` field that the caller writes is sent to the origin of the
/// caller's request, and replaces a kept cookie of the same name. Any thread can use the jar, and many clients can share one.
///
/// ```swift
/// let client = runtime.client.with(interceptors: [CookieJar()])
/// ```
///
/// The jar has no list of public suffixes. It refuses a cookie for a domain of a single label, such as `com`. It refuses a
/// cookie for `co.uk` only if `isPublicSuffix` returns `true` for it.
public final class CookieJar: Sendable {
    /// The largest number of cookies per domain, and in all. Beyond it, the least recently used cookie is removed.
    public static let limits = (perDomain: 50, total: 3000)

    private static let lastNumber = Atomic<Int>(0)

    /// Tells the jar apart from all others, also from later ones at the same address.
    let number = CookieJar.lastNumber.add(1, ordering: .relaxed).newValue
    private let storage: Locked<CookieStorage>
    private let secondsSince1970: @Sendable () -> Double
    private let isPublicSuffix: @Sendable (String) -> Bool

    /// Makes a jar that is empty, or holds `cookies`.
    ///
    /// - Parameters:
    ///   - cookies: for instance the cookies of an earlier jar.
    ///   - isPublicSuffix: whether anybody can have hosts directly below a domain. The domain is in lower case.
    ///   - secondsSince1970: the wall clock.
    @preconcurrency
    public init(
        _ cookies: [Cookie] = [], isPublicSuffix: @escaping @Sendable (String) -> Bool = { _ in false },
        secondsSince1970: @escaping @Sendable () -> Double = WallClock.secondsSince1970
    ) {
        self.isPublicSuffix = isPublicSuffix
        self.secondsSince1970 = secondsSince1970
        var storage = CookieStorage()
        for cookie in cookies { storage.put(cookie, at: secondsSince1970()) }
        self.storage = Locked(storage)
    }

    /// All cookies that have not expired, in the order in which they arrived. Those without ``Cookie/expires`` last for the
    /// session.
    public var cookies: [Cookie] {
        let now = secondsSince1970()
        return storage.withLock { $0.all(at: now) }
    }

    /// The cookies for a request to `url`: longer paths first, then earlier cookies first.
    public func cookies(for url: RequestURL) -> [Cookie] {
        let now = secondsSince1970()
        return storage.withLock { $0.cookies(for: url, at: now) }
    }

    /// Stores `cookie` in place of the one with its name, domain and path that is also for a host alone, or for a domain. An
    /// expired `cookie` removes that one.
    public func set(_ cookie: Cookie) {
        let now = secondsSince1970()
        storage.withLock { $0.put(cookie, at: now) }
    }

    /// Stores the cookies in the `Set-Cookie` fields of a response from `url`, as far as `url` may set them.
    public func store(_ fields: HTTPFields, from url: RequestURL) {
        for field in fields[values: .setCookie] {
            let now = secondsSince1970()
            guard let said = SetCookie(field),
                let cookie = Cookie(said, from: url, at: now, isShared: { !$0.contains(".") || isPublicSuffix($0) })
            else { continue }
            storage.withLock { storage in
                // A response over plain http can't read a secure cookie, so it must not replace one either.
                let isWeaker = url.scheme != "https" && storage.holdsSecure(like: cookie, at: now)
                if !isWeaker { storage.put(cookie, at: now) }
            }
        }
    }

    /// Removes the cookies for which `condition` returns `true`, by default all.
    @preconcurrency
    public func remove(where condition: @Sendable (Cookie) -> Bool = { _ in true }) {
        // Called outside of the lock, because `condition` may read the jar.
        let chosen = cookies.filter(condition)
        storage.withLock { storage in
            for cookie in chosen { storage.remove(cookie) }
        }
    }
}

extension CookieJar: RequestInterceptor {
    public func begin(_ request: inout Request) {
        var jars = request.tags[CookieJars.self] ?? CookieJars()
        jars.insert(self)
        request.tags[CookieJars.self] = jars
    }

    public func adapt(_ request: inout Request) -> Adaptation {
        let given = request.headers.cookiePairs
        let names = Set(given.map(\.cookieName))
        let cookies = cookies(for: request.url)
        let kept = cookies.filter { !names.contains($0.name) }
        var jars = request.tags[CookieJars.self] ?? CookieJars()
        jars.insert(self, adding: Set(kept.map(\.name)))
        request.tags[CookieJars.self] = jars
        guard !cookies.isEmpty else { return .ready }
        request.headers[.cookie] = (kept.map { "\($0.name)=\($0.value)" } + given).joined(separator: "; ")
        return .ready
    }

    /// Any of the jar's cookies can be the login, and the jar can't say which one.
    public func account(of request: Request) -> AccountResolution {
        cookies(for: request.url).isEmpty ? .ready(nil) : .unstated
    }

    public func peek(at head: HTTPResponse, of request: Request) -> Peek { .nothing }

    public func received(_ head: HTTPResponse, for request: Request) {
        if head.headerFields.contains(.setCookie) { store(head.headerFields, from: request.url) }
    }
}

extension CookieJar: CustomStringConvertible, CustomReflectable {
    public var description: String { "a jar of \(cookies.count) cookies" }
    public var customMirror: Mirror { Mirror(self, children: ["cookies": cookies]) }
}
