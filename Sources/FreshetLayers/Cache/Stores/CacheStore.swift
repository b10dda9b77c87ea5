public import FreshetCore
public import FreshetHTTP

/// Keeps the responses of a cache. Any thread can use it.
///
/// A store never fails a request: an error means that there is no such response. It bounds its own size, and drops the least
/// recently used responses first.
public protocol CacheStore: Sendable {
    /// The form in which a store keeps the value of a field that selected a response. By default it is the value itself.
    func fingerprint(of value: String) -> String

    /// The stored responses of a key, the one with the latest `Date` first.
    func responses(for key: CacheKey) -> StoredResponses

    /// The body of a stored response, in pieces. Pausing stops reading. A body that was damaged or removed fails before its first
    /// piece.
    func body(of response: CachedResponse, for key: CacheKey) -> Observable<[UInt8]>

    /// Begins to store a response. It replaces the responses of the key with the same selectors when it is complete.
    func writer(of response: CachedResponse, for key: CacheKey) -> any CacheWriter

    /// Replaces the head of a stored response, after the server has confirmed it.
    func update(_ response: CachedResponse, for key: CacheKey) -> Single<Void>

    /// Removes one response.
    func remove(_ response: CachedResponse, for key: CacheKey) -> Single<Void>

    /// Removes the responses of a URL, whoever owns them.
    func invalidate(_ url: RequestURL) -> Single<Void>
}

extension CacheStore {
    public func fingerprint(of value: String) -> String { value }
}

/// Stores one body. Calls are serial.
public protocol CacheWriter: Sendable {
    /// Appends `bytes`. Calls `written` when they are no longer in memory.
    func append(_ bytes: [UInt8], written: @escaping @Sendable () -> Void)

    /// The body is complete, and the response can be found from now on. Calls `stored` then.
    func finish(stored: @escaping @Sendable () -> Void)

    /// The body was cut off. No part of it is kept.
    func abandon()
}

/// The stored responses of a key, known at once or later.
public enum StoredResponses: Sendable {
    case ready([CachedResponse])
    case waiting(Single<[CachedResponse]>)
}
