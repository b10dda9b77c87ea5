import Foundation
import FreshetCore
import XCTest

/// A test of a recording in a file of its own.
class RecordingTestCase: XCTestCase {
    private var resources = 0
    private(set) var path = ""

    override func setUp() {
        resources = Resources.total
        path = NSTemporaryDirectory() + "freshet-\(UUID().uuidString).har"
    }

    override func tearDown() {
        try? FileManager.default.removeItem(atPath: path)
        XCTAssertEqual(Resources.total, resources)
    }
}
