public import FreshetCore

extension Request {
    /// The context in which the request is sent: interceptors, monitors and what they cause run in it, the refresh of a
    /// credential for instance. `nil`, as at first, is the context in which somebody subscribes to the response.
    ///
    /// The response is delivered in the subscriber's context in any case.
    public var context: SubscriptionContext? {
        get { tags[ContextTag.self]?.context }
        set { tags[ContextTag.self] = newValue.map { ContextTag(context: $0) } }
    }
}

private struct ContextTag: RequestTag {
    let context: SubscriptionContext
}
