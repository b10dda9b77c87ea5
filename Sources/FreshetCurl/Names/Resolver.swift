public import FreshetCore
import FreshetLoop

/// Finds the addresses of host names. The transport keeps them for a while; see `CurlTransport.Configuration.Addresses`.
///
/// ```swift
/// struct Pinned: Resolver {
///     func addresses(of host: String) -> Single<[String]> { .just(["192.0.2.1"]) }
/// }
/// ```
public protocol Resolver: Sendable {
    /// Returns numeric IPv4 and IPv6 addresses, the best first.
    ///
    /// The loop makes the call, once for all requests that wait for a name. The call must not block. The addresses can come
    /// on any thread. Disposing of the subscription cancels the lookup.
    ///
    /// - Parameter host: a name in ASCII and lower case; never an address.
    func addresses(of host: String) -> Single<[String]>
}

/// The system's resolver, `getaddrinfo`, on its own threads. It asks `/etc/hosts`, name servers, and the system's other
/// sources.
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
