import FreshetCore
import XCTest

@testable import FreshetHTTP

final class CurrentTransferTests: XCTestCase {
    private final class RecordedTransfer: Transfer {
        let isPaused = Locked(false)

        func start() {}
        func dispose() {}
        func pause() { isPaused.withLock { $0 = true } }
        func resume() { isPaused.withLock { $0 = false } }
    }

    private let current = CurrentTransfer()

    private func isPaused(_ transfer: RecordedTransfer) -> Bool { transfer.isPaused.withLock { $0 } }

    private func pause(_ isPaused: Bool) {
        current.setPaused(isPaused)
        current.pauseOrResume()
    }

    private func hold(_ isHeld: Bool) {
        current.setHeld(isHeld)
        current.pauseOrResume()
    }

    func testATransferIsPausedWhileTheSubscriberOrTheRetriersPauseIt() {
        let transfer = RecordedTransfer()
        current.set(transfer)
        pause(true)
        XCTAssertTrue(isPaused(transfer))
        pause(false)
        XCTAssertFalse(isPaused(transfer))
        hold(true)
        XCTAssertTrue(isPaused(transfer))
        pause(true)
        pause(false)
        XCTAssertTrue(isPaused(transfer), "it is held until it is decided")
        pause(true)
        hold(false)
        XCTAssertTrue(isPaused(transfer), "the subscriber has paused it")
        pause(false)
        XCTAssertFalse(isPaused(transfer))
    }

    func testATransferThatBeginsDuringAPauseIsPausedForTheSubscriberAlone() {
        let (first, second, third) = (RecordedTransfer(), RecordedTransfer(), RecordedTransfer())
        current.set(first)
        hold(true)
        current.set(second)
        XCTAssertFalse(isPaused(second), "the retriers have decided about the first")
        pause(true)
        current.set(third)
        XCTAssertTrue(isPaused(third))
        current.take()
        pause(false)
        XCTAssertTrue(isPaused(third), "it is over")
    }
}
