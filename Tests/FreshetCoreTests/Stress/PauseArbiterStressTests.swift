import Foundation
import XCTest

@testable import FreshetCore

final class PauseArbiterStressTests: CoreTestCase {
    private final class Source: Pausable {
        let isPaused = Locked(false)

        func dispose() {}
        func pause() { isPaused.withLock { $0 = true } }
        func resume() { isPaused.withLock { $0 = false } }
    }

    /// A pause of one party must not be undone by the other one, which has seen the time before it.
    func testASourceIsPausedAfterTheLastPauseWhateverTheOtherPartyDoes() {
        for _ in 0..<2000 {
            let source = Source()
            let arbiter = PauseArbiter(source)
            let (isReady, isDone) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            Thread.detachNewThread {
                isReady.signal()
                for _ in 0..<20 {
                    arbiter.hold()
                    arbiter.release()
                }
                isDone.signal()
            }
            isReady.wait()
            arbiter.pause()
            isDone.wait()
            XCTAssertTrue(source.isPaused.withLock { $0 })
        }
    }
}
