import Foundation
import FreshetHTTPTesting
import XCTest

/// Tests `login --from-store`.
final class MovedCredentialTests: ProfileTestCase {
    func testAMoveReplacesAnUnreadableStore() throws {
        let server = try tokenServer()
        let (_, source) = try loggedIn(server)
        let store = try temporaryFile("nonsense")
        let config = try profile(server, store: "file:\(store)")
        let result = try freshet("login", "--config", config, "--profile", "p", "--from-store", "file:\(source)")
        XCTAssertEqual(result.status, 0, result.errorOutput)
        XCTAssertEqual(try stored(store)["access_token"] as? String, "access-1.1")
    }

    func testAStoreWithoutACredentialIsNamed() throws {
        let server = try tokenServer()
        let (config, _) = try loggedIn(server)
        let folder = try temporaryDirectory().path
        let empty = try temporaryFile("{}")
        let (refusedConfig, refused) = try loggedIn(server)
        server.revokeSessions()
        XCTAssertEqual(try freshet("get", server.url, "--config", refusedConfig, "--profile", "p").status, 1)
        for (store, reason) in [
            ("file:\(folder)/none", "there is no such file"), ("file:\(empty)", "the store has no credential"),
            ("file:\(refused)", "the store has a credential whose refresh was refused"),
        ] {
            let result = try freshet("login", "--config", config, "--profile", "p", "--from-store", store)
            XCTAssertEqual(result.status, 1)
            XCTAssertTrue(
                result.errorOutput.hasPrefix(
                    "freshet: login_required: --from-store \(store): \(reason); name another store, "
                        + "or log in with freshet login --profile p"), result.errorOutput)
        }
        XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder), [])
    }
}
