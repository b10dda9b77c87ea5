import Foundation
import Freshet
import XCTest

final class StoresOfOneProgramTests: XCTestCase {
    private var runtime: FreshetRuntime!

    override func setUpWithError() throws { runtime = try FreshetRuntime() }

    override func tearDown() {
        runtime.shutdown()
        runtime = nil
    }

    func testAStoreDoesNotWaitForAnotherOnASlowDisk() async throws {
        let hasRead = DispatchSemaphore(value: 0)
        let hasWaited = expectation(description: "the other has read")
        _ = runtime.blocking.schedule(()) {
            if hasRead.wait(timeout: .now() + 30) == .success { hasWaited.fulfill() }
            return Disposables.create()
        }
        let path = try temporaryDirectory().appendingPathComponent("store.json").path
        let stored = try await runtime.fileStore(path).load().value
        XCTAssertEqual(stored, .empty)
        hasRead.signal()
        await fulfillment(of: [hasWaited], timeout: 30)
    }

    func testWaitsForOneLockDoNotDelayTheUnlockOfAnother() async throws {
        let directory = try temporaryDirectory()
        let (one, other) = (directory.appendingPathComponent("1").path, directory.appendingPathComponent("2").path)
        let held = try await runtime.fileStore(one).lock().value
        // The calls that wait outnumber the threads for blocking work.
        let waiting = (0..<20).map { _ in runtime.fileStore(one).lock().subscribe { _ in XCTFail("it is held") } }
        for _ in 0..<3 { try await runtime.fileStore(other).lock().value.unlock() }
        for each in waiting { each.dispose() }
        held.unlock()
        try await runtime.fileStore(one).lock().value.unlock()
    }
}
