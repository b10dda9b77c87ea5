import Freshet
import XCTest

final class InAServiceTests: ResourceTestCase {
    private struct Done: Error {}

    /// All services of a group begin at once, so a request can demand a login before the keeper's `run()` begins.
    func testALoginThatWasDemandedBeforeTheServiceRunsIsNotMissed() async throws {
        let runtime = try FreshetRuntime()
        defer { runtime.shutdown() }
        let gate = runtime.gate(
            store: MemoryStore(), authenticator: ClosureAuthenticator { _ in .error(RefreshRefusal("none")) })
        let keeper = LoginKeeper(gate) { throw Done() }
        do {
            _ = try await gate.credential().value
            XCTFail("nobody has logged in")
        } catch let error as HTTPClientError {
            XCTAssertEqual(error.code, .loginRequired)
        }
        do {
            try await keeper.run()
            XCTFail("the demand was missed")
        } catch is Done {}
    }
}
