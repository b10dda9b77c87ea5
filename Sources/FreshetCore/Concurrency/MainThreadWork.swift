/// The work that only the main thread does. A caller that blocks the main thread to wait for a stream can be waiting
/// for this very work. It therefore runs the work while it waits.
///
/// FreshetCore knows neither queues nor run loops. The module that creates schedulers for the main thread supplies the
/// functions.
package struct MainThreadWork: Sendable {
    private static let known = Locked<MainThreadWork?>(nil)

    /// Runs the available work for at most `seconds`, or until ``interrupt`` is called. Returns `false` at once on any
    /// other thread than the main thread.
    package let run: @Sendable (_ seconds: Double) -> Bool
    /// Makes a `run` return soon. Can be called on any thread.
    package let interrupt: @Sendable () -> Void

    package init(run: @escaping @Sendable (_ seconds: Double) -> Bool, interrupt: @escaping @Sendable () -> Void) {
        self.run = run
        self.interrupt = interrupt
    }

    /// The functions, or `nil` as long as there has been no scheduler for the main thread.
    package static var current: MainThreadWork? { known.withLock { $0 } }

    package static func use(_ work: MainThreadWork) {
        known.update { $0 = work }
    }
}
