public import HTTPTypes

/// Where a response came from, as a cache reports it before the head.
public enum CacheStatus: Sendable, Hashable {
    /// From the store, without a request. The age is in seconds.
    case hit(age: Int)
    /// From the store, after the server has confirmed it with this head.
    case revalidated(HTTPResponse)
    /// From the store although it is no longer fresh: the server allows it, or the request does.
    case stale(age: Int)
    /// From the server.
    case miss
}
