import FreshetCore
import FreshetHTTP
import FreshetTesting
import HTTPTypes

/// Holds each request back for five seconds.
struct HeldRequests: TransportLayer {
    let scheduler: TestScheduler

    func wrapping(_ transport: any Transport) -> any Transport {
        ObservableTransport(unprepared: { [scheduler] request, receiver in
            Observable.just(()).delay(.seconds(5), scheduler: scheduler)
                .flatMap { transport.parts(request, for: receiver) }
        })
    }
}

/// Sends a request again some time after a 503.
struct LateRetry: RequestInterceptor {
    let delay: Duration

    init(after delay: Duration) {
        self.delay = delay
    }

    func retry(_ attempt: Attempt) -> Single<RetryResult> {
        if case .response(let response) = attempt.outcome, response.status == .serviceUnavailable {
            return .just(.retryWithDelay(delay))
        }
        return .just(.doNotRetry)
    }
}
