/// An object that closures reach without keeping it alive. Unchecked: what they do with it on which thread is the
/// caller's matter, as with a `weak` capture.
struct WeakReference<Object: AnyObject>: @unchecked Sendable {
    weak var object: Object?

    init(_ object: Object) {
        self.object = object
    }

    /// A closure that calls `body` with the object, and does nothing once the object has gone.
    func passed(to body: (@Sendable (Object) -> Void)?) -> @Sendable () -> Void {
        { object.map { body?($0) } }
    }

    /// A closure that calls `body` with the object and its argument, and does nothing once the object has gone.
    func passed<Argument>(to body: (@Sendable (Object, Argument) -> Void)?) -> @Sendable (Argument) -> Void {
        { argument in object.map { body?($0, argument) } }
    }
}
