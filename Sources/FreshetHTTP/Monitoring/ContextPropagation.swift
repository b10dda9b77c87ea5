/// Carries the context of a request, such as a tracer's, to the work that the request causes beside itself: the refresh of its
/// credential, say.
///
/// A tracer puts this on the request as a tag before the request is sent. An interceptor that does work on behalf of the request
/// does it in here. Source: OpenTelemetry's context propagation.
public struct ContextPropagation: RequestTag {
    private let perform: @Sendable (() -> Void) -> Void

    /// - Parameter perform: makes the context the current one, calls what it is given, once, and returns afterwards. On any
    ///   thread.
    public init(_ perform: @escaping @Sendable (() -> Void) -> Void) {
        self.perform = perform
    }

    /// What `work` returns, which is called with the context as the current one.
    public func callAsFunction<Result>(_ work: () -> Result) -> Result {
        var result: Result?
        perform { result = work() }
        return result!
    }
}
