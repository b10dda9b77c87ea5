import FreshetCore
public import HTTPTypes

/// Keeps the cookies that servers set, and puts them on requests to where they belong. Source: RFC 6265 section 5.
///
/// It is an interceptor: a client that is not given one knows no cookies. Answers that are redirects or are tried again set
/// cookies too, and each hop gets its own. What a request's `Cookie` field holds by hand goes along to the origin that it was
/// written for, and takes the place of a kept cookie of the same name. It can be used from any thread, by many clients.
///
/// ```swift
/// let client = runtime.client.with(interceptors: [CookieJar()])
/// ```
///
/// No list of public suffixes is kept: a cookie for a domain of a single label, `com` say, is refused, one for `co.uk` only
/// if `isPublicSuffix` says so.
public final class CookieJar: Sendable {
    /// How many are kept for a domain, and in all; the one that was not used for longest makes room.
    public static let limits = (perDomain: 50, total: 3000)

    private let storage: Locked<CookieStorage>
    private let secondsSince1970: @Sendable () -> Double
    private let isPublicSuffix: @Sendable (String) -> Bool

    /// A jar that is empty, or holds `cookies`.
    ///
    /// - Parameters:
    ///   - cookies: what was kept of an earlier jar, say.
    ///   - isPublicSuffix: whether everybody can have hosts right below a domain, which is in lower case.
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

    /// All that have not ended, in the order in which they came. Those without ``Cookie/expires`` are the session's.
    public var cookies: [Cookie] {
        let now = secondsSince1970()
        return storage.withLock { $0.all(at: now) }
    }

    /// What goes with a request to `url`: longer paths first, then what came first.
    public func cookies(for url: RequestURL) -> [Cookie] {
        let now = secondsSince1970()
        return storage.withLock { $0.cookies(for: url, at: now) }
    }

    /// Keeps `cookie` instead of the one with its name, domain and path; one that has ended takes that away.
    public func set(_ cookie: Cookie) {
        let now = secondsSince1970()
        storage.withLock { $0.put(cookie, at: now) }
    }

    /// Does what the answer of `url` says in its `Set-Cookie` fields, as far as it may.
    public func store(_ fields: HTTPFields, from url: RequestURL) {
        for field in fields[values: .setCookie] {
            let now = secondsSince1970()
            guard let said = SetCookie(field),
                let cookie = Cookie(said, from: url, at: now, isShared: { !$0.contains(".") || isPublicSuffix($0) })
            else { continue }
            storage.withLock { storage in
                // Who can't read a secure cookie must not replace it either.
                let isWeaker = url.scheme != "https" && storage.holdsSecure(like: cookie)
                if !isWeaker { storage.put(cookie, at: now) }
            }
        }
    }

    /// Forgets those of which `condition` says so, by default all.
    @preconcurrency
    public func remove(where condition: @Sendable (Cookie) -> Bool = { _ in true }) {
        // Asked outside of the lock, for it may look into the jar.
        let chosen = cookies.filter(condition)
        storage.withLock { storage in
            for cookie in chosen { storage.remove(cookie) }
        }
    }
}

extension CookieJar: RequestInterceptor {
    public func adapt(_ request: inout Request) -> Adaptation {
        let cookies = cookies(for: request.url)
        guard !cookies.isEmpty else { return .ready }
        let given = request.headers[values: .cookie].joined(separator: ";").split(separator: ";")
            .map { String($0.drop { $0 == " " }) }.filter { !$0.isEmpty }
        let names = Set(given.map { String($0.prefix { $0 != "=" }) })
        let kept = cookies.filter { !names.contains($0.name) }.map { "\($0.name)=\($0.value)" }
        request.headers[.cookie] = (kept + given).joined(separator: "; ")
        return .ready
    }

    public func received(_ head: HTTPResponse, for request: Request) {
        if head.headerFields.contains(.setCookie) { store(head.headerFields, from: request.url) }
    }
}

extension CookieJar: CustomStringConvertible, CustomReflectable {
    public var description: String { "a jar of \(cookies.count) cookies" }
    public var customMirror: Mirror { Mirror(self, children: ["cookies": cookies]) }
}
