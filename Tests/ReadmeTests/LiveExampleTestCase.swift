import Freshet
import FreshetHTTPTesting
import XCTest

/// A runtime and a server for an example to talk to, after which no resources are left.
class LiveExampleTestCase: ResourceTestCase {
    private(set) var runtime: FreshetRuntime!
    private(set) var server: ScriptedServer!

    override func setUpWithError() throws {
        try super.setUpWithError()
        runtime = try FreshetRuntime()
        server = try ScriptedServer(on: runtime.loop)
    }

    override func tearDown() {
        server.close()
        runtime.shutdown()
        server = nil
        runtime = nil
    }
}
