import Freshet
import FreshetHTTPTesting
import XCTest

/// A scripted server on loopback. The test fails if resources are left at its end.
class CommandLineTestCase: ResourceTestCase {
    private(set) var server: ScriptedServer!
    private(set) var loop: Loop!
    private var endings: [() -> Void] = []

    override func setUpWithError() throws {
        try super.setUpWithError()
        loop = try Loop(name: "server")
        server = try ScriptedServer(on: loop)
    }

    override func tearDown() {
        for ending in endings { ending() }
        endings = []
        server.close()
        loop.shutdown()
        server = nil
        loop = nil
    }

    /// Calls `ending` once before the loop ends.
    func atTheEnd(_ ending: @escaping () -> Void) {
        endings.append(ending)
    }

    /// Waits until `value` has been the same for a fifth of a second.
    func waitUntilStill<Value: Equatable>(_ what: String, _ value: () -> Value) {
        var last = value()
        var since = ContinuousClock.now
        waitUntil("\(what) are still") {
            let now = value()
            if now != last { (last, since) = (now, .now) }
            return ContinuousClock.now - since > .milliseconds(200)
        }
    }
}
