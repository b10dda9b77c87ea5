public import FreshetCore

/// Whether an adapter has finished with a request.
public enum Adaptation: Sendable {
    /// The adapter has finished, and the request is sent as the adapter left it.
    case ready
    /// The adapter needs time. The single emits the request to send; its error ends the request.
    case waiting(Single<Request>)

    /// Ends the request with `error` instead of sending it.
    public static func failed(_ error: any Error) -> Adaptation { .waiting(.error(error)) }
}

extension Array<any RequestInterceptor> {
    /// Asks each interceptor in turn to adapt `request`. If one needs time, those after it are asked when it has finished.
    func adapt(_ request: inout Request) -> Adaptation { self[...].adapt(&request) }
}

extension ArraySlice<any RequestInterceptor> {
    fileprivate func adapt(_ request: inout Request) -> Adaptation {
        for index in indices {
            guard case .waiting(let adapted) = self[index].adapt(&request) else { continue }
            let others = self[(index + 1)...]
            return .waiting(
                adapted.flatMap { adapted in
                    var request = adapted
                    return switch others.adapt(&request) {
                    case .ready: .just(request)
                    case .waiting(let adapted): adapted
                    }
                })
        }
        return .ready
    }
}
