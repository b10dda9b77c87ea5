import XCTest

extension XCTestCase {
    /// Waits for what another thread or process brings about, half a minute at most.
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
