public import FreshetCore

extension Request {
    /// The context in which the request is sent. Interceptors and monitors run in it, and so does the work that they cause,
    /// such as the refresh of a credential. `nil`, the default, is the context in which somebody subscribes to the response.
    ///
    /// The response is always delivered in the subscriber's context.
    public var context: SubscriptionContext? {
        get { tags[ContextTag.self]?.context }
        set { tags[ContextTag.self] = newValue.map { ContextTag(context: $0) } }
    }
}

private struct ContextTag: RequestTag {
    let context: SubscriptionContext
}
