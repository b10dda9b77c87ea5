public import FreshetCore

/// Whether a request is as it is to be sent.
public enum Adaptation: Sendable {
    /// It is, as it was left.
    case ready
    /// It has to be waited for, and will be what comes; a failure ends the request.
    case waiting(Single<Request>)

    /// The request ends with `error` instead of being sent.
    public static func failed(_ error: any Error) -> Adaptation { .waiting(.error(error)) }
}

extension Array<any RequestInterceptor> {
    /// Asks each in turn to adapt `request`; those behind one that waits are asked when it is ready.
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
