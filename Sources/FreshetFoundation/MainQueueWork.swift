import Dispatch
import Foundation
import FreshetCore

/// Lets a wait on the main thread run the work of the main queue through the main thread's run loop.
enum MainQueueWork {
    /// Registers the run loop with `MainThreadWork`, once. Every scheduler over the main queue reads this property.
    static let isKnown: Bool = {
        MainThreadWork.use(
            MainThreadWork { seconds in
                // Inside a block of the main queue, the run loop returns `false` at once.
                Thread.isMainThread && RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: seconds))
            } interrupt: {
                DispatchQueue.main.async {}
            })
        return true
    }()
}
