import FreshetAuth
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import XCTest

/// Tests that a refusal ends a session only after the gate has read the store once more.
final class ConcurrentRefusalTests: FailureTestCase {
    // buildkite/cli 852, openedx 1467: a refusal may only mean that another program has refreshed first.
    func testARefusalAfterWhichANewerPairIsStoredUsesThatPairAndRequiresNoLogin() throws {
        let server = server()
        let store = SlowStore(server.signIn(), on: clocks.scheduler)
        let app = try App(at: server, store: store)
        server.endSessions()
        let waiting = start(app.get())
        pass(0.5)
        // A program that ignores the lock writes here.
        store.overwrite(StoredCredential(credential: server.signIn(), version: 7))
        finish(waiting)
        XCTAssertEqual(waiting.text, "in")
        XCTAssertEqual(app.logins, [])
        XCTAssertEqual(store.record.version, 7)
    }
}
