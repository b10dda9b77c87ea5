import Dispatch
import Foundation
import Freshet
import XCTest

@testable import freshet_cli

/// Tests the stores in credential helpers and the notes about helpers that do not respond.
final class HelperStoreTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    /// The move waited for ever for its own lock, and opposite moves could wait for each other's.
    func testAMoveKnowsTheFilesOfHelpers() throws {
        let folder = NSTemporaryDirectory() + "freshet-helper-\(UUID())"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let runtime = try FreshetRuntime()
        defer { runtime.shutdown() }
        let location = StoreLocation.helper(
            name: "none", server: "https://freshet.invalid/p", path: "\(folder)/helper-none-p")
        let (store, other) = (try location.opened(on: runtime), try location.opened(on: runtime))
        let ending = Locked<Result<StoredCredential, any Error>?>(nil)
        let ended = DispatchSemaphore(value: 0)
        let moving = store.moveCredential(to: other).subscribe { result in
            ending.withLock { $0 = result }
            ended.signal()
        }
        defer { moving.dispose() }
        XCTAssertEqual(ended.wait(timeout: .now() + 10), .success)
        guard case .failure(let error as StoreError)? = ending.withLock({ $0 }) else {
            return XCTFail("the move was not refused")
        }
        XCTAssertTrue("\(error)".contains("the store that it is to be moved to"), "\(error)")
    }

    /// The end of one call hid that another one still waited.
    func testAHelperIsWaitedForUntilEachOfItsCallsHasEnded() {
        var waits = HelperWaits()
        for helper in ["a", "a", "b"] { waits.begin(helper) }
        waits.end("a")
        XCTAssertEqual(waits.longest, "a")
        waits.end("a")
        XCTAssertEqual(waits.longest, "b")
        waits.end("b")
        XCTAssertNil(waits.longest)
    }

    func testEachHelperIsNotedOnce() {
        var waits = HelperWaits()
        XCTAssertEqual(["a", "b", "a"].map { waits.note($0) }, [true, true, false])
    }
}
