import FreshetCore
import FreshetStoreTesting
import FreshetTesting

/// Waits on virtual time.
class VirtualPlace {
    let clock = GateBench.clock()
    var scheduler: any SchedulerType { clock }

    init() {}

    func waitUntil(_ isSo: () -> Bool) -> Bool {
        for _ in 0..<60_000 {
            if isSo() { return true }
            clock.advanceBy(1)
        }
        return isSo()
    }

    func waitAWhile() { clock.advanceBy(1000) }
}
