// The forms of the request that the machine knows.
extension RequestStateMachine {
    /// As it is on the wire, or will be if nothing changes it.
    var onWire: Request { outgoing ?? original }

    /// Whom the request is at.
    var address: RequestURL {
        if case .redirecting(let next, _) = state { next.url } else { original.url }
    }

    /// The original with what interceptors have noted on the attempt, such as how often it was repeated.
    var noted: Request {
        guard let outgoing else { return original }
        var request = original
        request.tags = outgoing.tags
        return request
    }
}
