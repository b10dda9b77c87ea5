import Foundation
import Freshet
import FreshetHTTPTesting
import XCTest

/// A test of an example with a server.
class ExampleTestCase: XCTestCase {
    private var resources = 0
    private var loop: Loop!
    private(set) var server: ScriptedServer!

    override func setUpWithError() throws {
        resources = Resources.total
        loop = try Loop()
        server = try ScriptedServer(on: loop)
    }

    override func tearDown() {
        server.close()
        server = nil
        loop.shutdown()
        loop = nil
        // A thread may release a test's objects a moment after its part of the test, also during the next one.
        let end = ContinuousClock.now.advanced(by: .seconds(20))
        while Resources.total > resources, ContinuousClock.now < end { sched_yield() }
        XCTAssertLessThanOrEqual(Resources.total, resources)
    }

    /// Waits until `isSo` holds, for half a minute at most. The example makes it hold in its own time.
    func waitUntil(_ what: String, file: StaticString = #filePath, line: UInt = #line, _ isSo: () -> Bool) {
        let deadline = ContinuousClock.now + .seconds(30)
        while !isSo() {
            guard ContinuousClock.now < deadline else {
                return XCTFail("not within 30 s: \(what)", file: file, line: line)
            }
            // Another thread or process makes it so, and needs the core.
            usleep(1000)
        }
    }

    /// Waits until `value` has been the same for half a second.
    func waitUntilStill<Value: Equatable>(
        _ what: String, file: StaticString = #filePath, line: UInt = #line, _ value: () -> Value
    ) {
        var (last, since) = (value(), ContinuousClock.now)
        waitUntil(what, file: file, line: line) {
            let now = value()
            if now != last { (last, since) = (now, .now) }
            return ContinuousClock.now - since > .milliseconds(500)
        }
    }
}
