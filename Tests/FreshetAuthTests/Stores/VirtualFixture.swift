import FreshetCore
import FreshetStoreTesting
import FreshetTesting

/// Waits on virtual time.
class VirtualFixture {
    let clock = GateBench.clock()
    var scheduler: any SchedulerType { clock }

    init() {}

    func wait(until condition: () -> Bool) -> Bool {
        for _ in 0..<60_000 {
            if condition() { return true }
            clock.advanceBy(1)
        }
        return condition()
    }

    func waitAWhile() { clock.advanceBy(1000) }
}
