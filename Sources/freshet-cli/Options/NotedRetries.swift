import Freshet

/// The retries of a long-lived request, which notes each wait of more than a second on standard error. Nothing else shows that
/// the request is not under way.
struct NotedRetries: RequestInterceptor {
    private let policy: any RequestInterceptor

    init(_ policy: any RequestInterceptor) {
        self.policy = policy
    }

    func begin(_ request: inout Request) { policy.begin(&request) }

    func adapt(_ request: inout Request) -> Adaptation { policy.adapt(&request) }

    func observe(_ attempt: RequestInFlight, of request: Request) -> (any Disposable)? {
        policy.observe(attempt, of: request)
    }

    func account(of request: Request) -> AccountResolution { policy.account(of: request) }

    func received(_ head: HTTPResponse, for request: Request) { policy.received(head, for: request) }

    func peek(at head: HTTPResponse, of request: Request) -> Peek { policy.peek(at: head, of: request) }

    func retry(_ attempt: Attempt) -> Single<RetryResult> {
        policy.retry(attempt).do(onSuccess: { result in
            guard case .retryWithDelay(let delay) = result, delay > .seconds(1) else { return }
            Console.report(Trace.note(ofRetryAfter: delay, dueTo: attempt.outcome))
        })
    }
}
