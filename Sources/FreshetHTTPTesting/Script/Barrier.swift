import FreshetCore

/// A barrier at which responses wait until the test releases it. It then lets all waiting and all later responses pass.
public final class Barrier: Sendable {
    private let list = WaitList(false, isOpen: { $0 })

    public init() {}

    public var isReleased: Bool { list.withState { $0 } }

    /// The number of responses that wait now.
    public var waiting: Int { list.count }

    /// Lets all waiting responses pass, in the order in which they arrived, and all later ones. Can be called from any thread.
    public func release() {
        list.wake { $0 = true }
    }

    /// Calls `pass` when the barrier is released: at once if it is already released, otherwise from ``release()``.
    func wait(_ pass: @escaping @Sendable () -> Void) -> any Disposable { list.wait(pass) }
}
