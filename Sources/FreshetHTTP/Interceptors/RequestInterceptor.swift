public import FreshetCore
public import HTTPTypes

/// Changes a request before it goes on the wire. Source: Alamofire's `RequestAdapter`.
public protocol RequestAdapter: Sendable {
    /// Changes `request` into the request to send, at once or when the adapter has what it needs.
    ///
    /// The client calls this before each attempt, on each hop of a redirect, and again for a request that has waited in a queue
    /// since then. Each time, `request` is the request as its caller gave it.
    ///
    /// A redirect can lead to another origin. An adapter that sets a credential has to compare `request.url.origin` first, or
    /// that origin receives it. A request whose origin is changed by an adapter behind one that has set `Authorization` or `Cookie`, or
    /// recorded its secret by ``Request/recordSecrets(_:addedTo:)``, fails with `invalidRequest`.
    ///
    ///     func adapt(_ request: inout Request) -> Adaptation {
    ///         request.headers[.acceptLanguage] = "en"
    ///         return .ready
    ///     }
    func adapt(_ request: inout Request) -> Adaptation
}

/// Decides whether a failed attempt is retried. Source: Alamofire's `RequestRetrier`, here with streams.
public protocol RequestRetrier: Sendable {
    /// Decides what follows `attempt`. The first retrier that returns anything but ``RetryResult/doNotRetry`` decides.
    func retry(_ attempt: Attempt) -> Single<RetryResult>

    /// How much of the response with this head `retry(_:)` wants to see. If the response is not retried, the peeked part is
    /// still delivered. By default this is the first 64 KiB of responses with a status of 400 or above, and nothing of others.
    func peek(at head: HTTPResponse, of request: Request) -> Peek
}

extension RequestRetrier {
    public func peek(at head: HTTPResponse, of request: Request) -> Peek {
        head.status.code >= 400 ? .body(limit: 64 * 1024) : .nothing
    }
}

/// An adapter and a retrier in one. Source: Alamofire's `RequestInterceptor`.
public protocol RequestInterceptor: RequestAdapter, RequestRetrier {
    /// Records in the tags of `request` what holds from its beginning, such as the session of the user who makes it. By default
    /// this records nothing.
    ///
    /// The client calls this for each subscription, on its thread, before the request waits for a layer or for a connection. All
    /// attempts and redirects have the tags. For a download that resumes, and a stream that reconnects, `begin` is called again for
    /// each of their requests; leave the tag of the first one. See ``HTTPClient/beginning(_:)``. An interceptor that passes its calls
    /// on to others passes this one on too.
    func begin(_ request: inout Request)

    /// Begins to watch an attempt, so that the interceptor can end it when something that `request` carries is no longer valid.
    /// By default it does not watch.
    ///
    /// The client calls this for each attempt and each hop of a redirect, so it should be cheap. `request` is the request as it
    /// goes out, after all adapters. The client disposes of the result when the attempt is over.
    func observe(_ attempt: RequestInFlight, of request: Request) -> (any Disposable)?

    /// The account of the request: the login whose credential the interceptor applies, or has applied. Layers store and share
    /// responses by account. The call can load the credential's store, and never refreshes. `.ready(nil)` says that the
    /// interceptor gives the request no credential.
    ///
    /// By default nothing is stated. A layer then adapts the request before it looks for a stored response, and tells accounts
    /// apart by `Authorization` and `Cookie`, so that what it has stored serves until they change. An interceptor whose credential
    /// is another field or part of the URL has to state its account.
    func account(of request: Request) -> AccountResolution

    /// Receives the head of a response to `request`, which is the request as it went out, after all adapters.
    ///
    /// The client also calls this for redirects and for attempts that are retried, but not for interim responses. It calls this
    /// before it uses the response, in order, on the transport's thread. There is no call for a response that a cache delivers
    /// without asking the server. If the server has confirmed a cached response, `head` is the head of the confirmation. By
    /// default this does nothing.
    func received(_ head: HTTPResponse, for request: Request)
}

extension RequestInterceptor {
    public func begin(_ request: inout Request) {}
    public func adapt(_ request: inout Request) -> Adaptation { .ready }
    public func retry(_ attempt: Attempt) -> Single<RetryResult> { .just(.doNotRetry) }
    public func observe(_ attempt: RequestInFlight, of request: Request) -> (any Disposable)? { nil }
    public func received(_ head: HTTPResponse, for request: Request) {}
    public func account(of request: Request) -> AccountResolution { .unstated }
}

/// How much of a response a retrier wants to see before it is delivered.
public enum Peek: Sendable, Hashable {
    case nothing
    /// The head, and at most `limit` bytes of the body.
    case body(limit: Int)
}

/// One attempt at a request, and its outcome.
public struct Attempt: Sendable {
    /// How an attempt ended.
    public enum Outcome: Sendable {
        /// A response that a retrier wanted to see, with the part of its body that was peeked.
        case response(Response)
        case failure(any Error)
    }

    /// The request as it was sent, after all adapters.
    public var request: Request
    /// The request as the caller gave it, or as a redirect made it.
    public var original: Request
    /// The attempt's number, from 1. An attempt that a layer refused before anything was sent counts too.
    public var number: Int
    public var outcome: Outcome
    /// What is left of the request's timeout; `nil` is no limit. A retry that would come later is not made.
    public var timeLeft: Duration?

    public init(request: Request, original: Request, number: Int, outcome: Outcome, timeLeft: Duration? = nil) {
        self.request = request
        self.original = original
        self.number = number
        self.outcome = outcome
        self.timeLeft = timeLeft
    }
}

/// The decision of a retrier. Source: Alamofire's `RetryResult`.
public enum RetryResult: Sendable {
    /// Retry at once.
    case retry
    /// Retry after this delay. If it would end after the request's timeout, the caller gets the outcome at once.
    case retryWithDelay(Duration)
    /// Do not retry: the caller gets the outcome.
    case doNotRetry
    /// End the request with this error instead.
    case doNotRetryWithError(any Error)
}
