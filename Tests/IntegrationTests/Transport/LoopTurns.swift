import Dispatch
import FreshetCore
import XCTest

@testable import FreshetLoop

extension XCTestCase {
    /// Counts the turns of a loop during 300 ms. A loop that sleeps has few.
    func turns(of loop: Loop, file: StaticString = #filePath, line: UInt = #line) -> Int {
        let count = Locked(0)
        let done = DispatchSemaphore(value: 0)
        loop.execute {
            let phase = LoopPhase(.beforeWait, of: loop.raw, loop.adoption) { count.withLock { $0 += 1 } }
            phase.start()
            let timer = LoopTimer(on: loop) {}
            timer.handler = {
                phase.close()
                timer.close()
                done.signal()
            }
            timer.start(after: .milliseconds(300))
        }
        XCTAssertEqual(done.wait(timeout: .now() + 30), .success, "the loop is blocked", file: file, line: line)
        return count.withLock { $0 }
    }
}
