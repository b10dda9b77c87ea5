import FreshetCore

// What a transfer asks for before it sends.
extension RequestCall {
    func account(of request: Request) -> AccountResolution { context.run { client.account(of: request) } }

    /// Adapts the request of transfer number `step`.
    func adapt(_ request: inout Request, of step: Int) -> Adaptation {
        guard case .waiting(let adapted) = context.run({ client.adapt(&request) }) else { return .ready }
        submit(.adapting(true), of: step)
        return .waiting(
            adapted.do(
                onSuccess: { [self] _ in submit(.adapting(false), of: step) },
                // The error of an adapter ends the request; retriers are not asked about it.
                onError: { [self] in submit(.fail($0), of: step) }
            ).inContext { [context] _ in context })
    }
}
