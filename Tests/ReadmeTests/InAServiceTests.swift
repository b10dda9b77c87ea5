import Freshet
import XCTest

final class InAServiceTests: ResourceTestCase {
    /// All services of a group begin at once, so a request can demand a login before the keeper's `run()` begins.
    func testALoginThatWasDemandedBeforeTheServiceRunsIsNotMissed() async throws {
        let runtime = try FreshetRuntime()
        defer { runtime.shutdown() }
        let gate = runtime.gate(
            store: MemoryStore(), authenticator: ClosureAuthenticator { _ in .error(RefreshRefusal("none")) })
        let (logins, login) = AsyncStream.makeStream(of: Void.self)
        let keeper = LoginKeeper(gate) { login.yield() }
        do {
            _ = try await gate.credential().value
            XCTFail("nobody has logged in")
        } catch let error as HTTPClientError {
            XCTAssertEqual(error.code, .loginRequired)
        }
        let service = Task { try await keeper.run() }
        for await _ in logins { break }
        service.cancel()
        _ = await service.result
    }
}
