/// An object that closures use without keeping it alive. Unchecked, as with a `weak` capture: the caller ensures that
/// the closures use the object on a suitable thread.
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
