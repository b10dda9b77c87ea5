import XCTest

@testable import FreshetCore

final class PauseArbiterTests: CoreTestCase {
    private final class Source: Pausable {
        let isPaused = Locked(false)
        let beforeResume = Locked<@Sendable () -> Void>({})

        func dispose() {}
        func pause() { isPaused.withLock { $0 = true } }

        func resume() {
            beforeResume.withLock { $0 }()
            isPaused.withLock { $0 = false }
        }
    }

    /// A pause of one party must not be undone by the other one, whose release began before it.
    func testAPauseDuringAReleaseOfTheOtherPartyLasts() {
        let source = Source()
        let arbiter = PauseArbiter(source)
        arbiter.hold()
        source.beforeResume.withLock { $0 = { [weak arbiter] in arbiter?.pause() } }
        arbiter.release()
        XCTAssertTrue(source.isPaused.withLock { $0 })
        source.beforeResume.withLock { $0 = {} }
        arbiter.resume()
        XCTAssertFalse(source.isPaused.withLock { $0 })
    }
}
