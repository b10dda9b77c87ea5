/// The work that the main thread alone does. Who blocks that thread to wait for a stream may be waiting for this very work,
/// and does it in the meantime.
///
/// The core knows neither queues nor run loops: who makes schedulers for the main thread says how its work is done.
package struct MainThreadWork: Sendable {
    private static let known = Locked<MainThreadWork?>(nil)

    /// Does what there is for so many seconds at most, or until ``interrupt``; says `false`, at once, if it can't be done
    /// here: on another thread.
    package let run: @Sendable (_ seconds: Double) -> Bool
    /// Ends a `run` soon, from any thread.
    package let interrupt: @Sendable () -> Void

    package init(run: @escaping @Sendable (_ seconds: Double) -> Bool, interrupt: @escaping @Sendable () -> Void) {
        self.run = run
        self.interrupt = interrupt
    }

    /// How it is done, as soon as there has been a scheduler for the main thread.
    package static var current: MainThreadWork? { known.withLock { $0 } }

    package static func use(_ work: MainThreadWork) {
        known.withLock { $0 = work }
    }
}
