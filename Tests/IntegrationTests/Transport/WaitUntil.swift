import XCTest

extension XCTestCase {
    /// Waits until `isSo` holds, for half a minute at most. Another thread or process makes it hold.
    func waitUntil(_ what: String, file: StaticString = #filePath, line: UInt = #line, _ isSo: () -> Bool) {
        let deadline = ContinuousClock.now + .seconds(30)
        while !isSo() {
            guard ContinuousClock.now < deadline else {
                return XCTFail("not within 30 s: \(what)", file: file, line: line)
            }
            sched_yield()
        }
    }
}
