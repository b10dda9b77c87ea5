public import FreshetCore
public import FreshetHTTP
import HTTPTypes

/// A private HTTP cache over a transport. Source: RFC 9111, RFC 5861, RFC 8246.
///
///     let client = runtime.client.with(layers: [HTTPCache(store: MemoryCacheStore())])
///
/// It stores responses to GET, separately for each login (`RequestAccount`), and keeps them when tokens rotate. It does not
/// store a response that no later request could use, because it has neither a time for which it is fresh nor a validator. The
/// cache does not handle a request whose login has no identifier, that has a range or conditions of its own, or that is
/// long-lived. A fresh response needs neither a connection nor a token. A stale one is validated, and is served without validation
/// only where the server or the request allows it. An unsafe request that succeeds removes the stored responses of its URL for all
/// accounts. The cache follows the request's own `Cache-Control`.
///
/// The part `TransferPhase.cache` comes before the head and reports where the response comes from.
public struct HTTPCache: TransportLayer {
    private let store: any CacheStore
    private let secondsSince1970: @Sendable () -> Double
    private let validations = BackgroundValidations()
    private let invalidations = BoundedTable<RequestURL, Int>()

    /// - Parameters:
    ///   - store: keeps the responses. Several caches can share one. A cache can then store a response that was requested
    ///     before another cache has sent a POST, PUT, PATCH or DELETE to its URL.
    ///   - secondsSince1970: the wall clock that determines the age of responses.
    @preconcurrency
    public init(
        store: any CacheStore, secondsSince1970: @escaping @Sendable () -> Double = WallClock.secondsSince1970
    ) {
        self.store = store
        self.secondsSince1970 = secondsSince1970
    }

    public func wrapping(_ transport: any Transport) -> any Transport {
        CachingTransport(
            below: transport, store: store, validations: validations, invalidations: invalidations,
            now: secondsSince1970)
    }

    /// Completes when no response is validated in the background any more.
    ///
    /// A program that exits before that finds the response as stale as it was, with `stale-while-revalidate`.
    public func settled() -> Single<Void> { validations.settled() }
}
