import XCTest

/// Tests of one nginx, which the first of them starts.
class NginxTestCase: TransportTestCase {
    private nonisolated(unsafe) static var started: Result<Nginx, any Error>?

    func nginx() throws -> Nginx {
        if Self.started == nil { Self.started = Result { try Nginx() } }
        return try Self.started!.get()
    }

    override class func tearDown() {
        started = nil
        super.tearDown()
    }
}
