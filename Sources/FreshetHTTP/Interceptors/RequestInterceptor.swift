public import FreshetCore
public import HTTPTypes

/// Changes a request before it goes on the wire. Source: Alamofire's `RequestAdapter`.
public protocol RequestAdapter: Sendable {
    /// Makes `request` what is to be sent instead, at once or as soon as that is known. Asked again before each attempt, on
    /// each hop of a redirect, and for a request that has queued since; each time with the request as its caller gave it.
    ///
    ///     func adapt(_ request: inout Request) -> Adaptation {
    ///         request.headers[.acceptLanguage] = "en"
    ///         return .ready
    ///     }
    func adapt(_ request: inout Request) -> Adaptation
}

/// Decides whether a failed attempt is made again. Source: Alamofire's `RequestRetrier`, in streams.
public protocol RequestRetrier: Sendable {
    /// What to do after `attempt`. The first retrier that answers anything but ``RetryResult/doNotRetry`` decides.
    func retry(_ attempt: Attempt) -> Single<RetryResult>

    /// How much of the answer with this head ``retry(_:)`` wants to see. What is peeked is still delivered, if it is not
    /// retried. By default the first 64 KiB of answers with a status of 400 or above, and nothing of others.
    func peek(at head: HTTPResponse, of request: Request) -> Peek
}

extension RequestRetrier {
    public func peek(at head: HTTPResponse, of request: Request) -> Peek {
        head.status.code >= 400 ? .body(limit: 64 * 1024) : .nothing
    }
}

/// Both. Source: Alamofire's `RequestInterceptor`.
public protocol RequestInterceptor: RequestAdapter, RequestRetrier {
    /// Begins to watch an attempt, to end it when what `request`, as it goes out after all adapters, carries is good no
    /// more; by default it is not watched.
    ///
    /// Asked for each attempt and each hop of a redirect, so it should be cheap. What it returns is disposed of when the
    /// attempt is over.
    func watch(_ attempt: RequestInFlight, of request: Request) -> (any Disposable)?

    /// The head of a response to `request`, as that went out after all adapters, has come: of redirects and of attempts that
    /// are made again too, but not of interim responses. Called before anything is made of the response, in order, on the
    /// transport's thread. By default it does nothing.
    func received(_ head: HTTPResponse, for request: Request)
}

extension RequestInterceptor {
    public func adapt(_ request: inout Request) -> Adaptation { .ready }
    public func retry(_ attempt: Attempt) -> Single<RetryResult> { .just(.doNotRetry) }
    public func watch(_ attempt: RequestInFlight, of request: Request) -> (any Disposable)? { nil }
    public func received(_ head: HTTPResponse, for request: Request) {}
}

/// How much of an answer a retrier wants to see before it is delivered.
public enum Peek: Sendable, Hashable {
    case nothing
    /// The head, and of the body at most `limit` bytes.
    case body(limit: Int)
}

/// One attempt at a request, and how it ended.
public struct Attempt: Sendable {
    /// How an attempt ended.
    public enum Outcome: Sendable {
        /// An answer that a retrier wanted to see; its body as far as it was peeked.
        case response(Response)
        case failure(any Error)
    }

    /// The request as it was sent, after all adapters.
    public var request: Request
    /// The request as the caller gave it, or as a redirect made it.
    public var original: Request
    /// The attempt's number, from 1.
    public var number: Int
    public var outcome: Outcome

    public init(request: Request, original: Request, number: Int, outcome: Outcome) {
        self.request = request
        self.original = original
        self.number = number
        self.outcome = outcome
    }
}

/// What a retrier decides. Source: Alamofire's `RetryResult`.
public enum RetryResult: Sendable {
    /// Try again at once.
    case retry
    /// Try again after a while.
    case retryWithDelay(Duration)
    /// Let the outcome stand.
    case doNotRetry
    /// End the request with this error instead.
    case doNotRetryWithError(any Error)
}
