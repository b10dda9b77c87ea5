// The forms of the request that the machine keeps.
extension RequestStateMachine {
    /// The request as it is on the wire, or as it will be if no adapter changes it.
    var onWire: Request { outgoing ?? original }

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
