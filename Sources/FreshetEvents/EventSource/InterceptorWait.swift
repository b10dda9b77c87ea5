import FreshetCore
import FreshetHTTP
import HTTPTypes
import Synchronization

/// Whether the interceptors have the request of a connection, so that a timeout does not blame the server for a missing login.
/// The request carries it as a tag.
final class InterceptorWait: RequestTag {
    private let isOn = Atomic<Bool>(false)

    var isUnderWay: Bool {
        get { isOn.load(ordering: .acquiring) }
        set { isOn.store(newValue, ordering: .releasing) }
    }
}

/// Stands before all interceptors, or behind them, and records that they get the request or have let it pass.
private struct InterceptorBoundary: RequestInterceptor {
    let isFirst: Bool

    func adapt(_ request: inout Request) -> Adaptation {
        pass(request)
        return .ready
    }

    func retry(_ attempt: Attempt) -> Single<RetryResult> {
        pass(attempt.request)
        return .just(.doNotRetry)
    }

    func peek(at head: HTTPResponse, of request: Request) -> Peek { .nothing }
    func account(of request: Request) -> AccountResolution { .ready(nil) }

    private func pass(_ request: Request) { request.tags[InterceptorWait.self]?.isUnderWay = isFirst }
}

extension HTTPClient {
    /// The client with interceptors that maintain the ``InterceptorWait`` of a request.
    var recordingInterceptorWaits: HTTPClient {
        if interceptors.isEmpty { return self }
        return with(
            interceptors: [InterceptorBoundary(isFirst: true)] + interceptors + [InterceptorBoundary(isFirst: false)])
    }
}
