public import HTTPTypes

/// Where a response came from, as a cache reports it before the head.
public enum CacheStatus: Sendable, Hashable {
    /// The response is stored and was used without a request. The age is in seconds.
    case hit(age: Int)
    /// The response is stored, and the server has confirmed it with this head.
    case revalidated(HTTPResponse)
    /// The response is stored and no longer fresh. It was used because the server, or the request, allows it.
    case stale(age: Int)
    /// The response is the server's.
    case miss
    /// The request wants nothing but a stored response, and there is none: a 504 of the cache's own, without a request.
    case unsatisfiable
}
