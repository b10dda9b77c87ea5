/// What has to be around the work that a request causes beside itself, such as the refresh of its credential: a tracer's
/// context, say. Noted by whoever watches the request and needs it.
package struct Surroundings: RequestTag {
    private let perform: @Sendable (() -> Void) -> Void

    /// - Parameter perform: calls what it is given, once, before it returns.
    package init(_ perform: @escaping @Sendable (() -> Void) -> Void) {
        self.perform = perform
    }

    /// Does `work` in these surroundings.
    package func callAsFunction<Result>(_ work: () -> Result) -> Result {
        var result: Result?
        perform { result = work() }
        return result!
    }
}
