// The forms of the request that the machine keeps, and what it expects.
extension RequestStateMachine {
    /// The request as it is on the wire, or as it will be if no adapter changes it.
    var onWire: Request { outgoing ?? original }

    var isFinished: Bool { if case .finished = state { true } else { false } }

    /// Whether the caller or an interceptor forbids to repeat the request.
    var isOneShot: Bool { original.isOneShot || onWire.isOneShot }

    /// Whether an input for `step`, or for the current one if `step` is `nil`, still counts.
    func expects(_ step: Int?) -> Bool { !isFinished && (step == nil || step == self.step) }

    /// The address that the request is sent to.
    var address: RequestURL {
        if case .redirecting(let next, _) = state { next.url } else { original.url }
    }

    /// The original with the tags that interceptors have set on the attempt, such as the number of retries.
    var originalWithTags: Request {
        guard let outgoing else { return original }
        var request = original
        request.tags = outgoing.tags
        return request
    }
}
