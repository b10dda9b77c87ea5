public import FreshetCore
import FreshetLoop

/// Finds the addresses of host names. What it says is kept for a while; see `CurlTransport.Configuration.Addresses`.
///
/// ```swift
/// struct Pinned: Resolver {
///     func addresses(of host: String) -> Single<[String]> { .just(["192.0.2.1"]) }
/// }
/// ```
public protocol Resolver: Sendable {
    /// Numeric IPv4 and IPv6 addresses, the best first. They may come on any thread; nothing may block in the call, which
    /// is made on the loop, once for all requests that wait for a name. Disposing of it takes the question back.
    ///
    /// - Parameter host: a name in ASCII and lower case; never an address.
    func addresses(of host: String) -> Single<[String]>
}

/// The system's resolver: `/etc/hosts`, name servers, and whatever else `getaddrinfo` asks, on threads of its own.
public struct SystemResolver: Resolver {
    public init() {}

    public func addresses(of host: String) -> Single<[String]> {
        .create { response in
            let lookup = NameLookup.start(host) { result in
                response(result.mapError { $0 })
            }
            return Disposables.create { lookup.cancel() }
        }
    }
}
