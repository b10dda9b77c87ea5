import Dispatch
import Foundation
import FreshetCore

/// The main queue's work, done by the main thread's run loop.
enum MainQueueWork {
    /// Makes it known, once; asked for by every scheduler over the main queue.
    static let isKnown: Bool = {
        MainThreadWork.use(
            MainThreadWork { seconds in
                // Inside a block of the main queue the run loop says at once that it can't.
                Thread.isMainThread && RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: seconds))
            } interrupt: {
                DispatchQueue.main.async {}
            })
        return true
    }()
}
