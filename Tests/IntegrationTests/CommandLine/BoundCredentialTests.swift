import Foundation
import FreshetHTTPTesting
import XCTest

/// Tests a credential that is bound to a key, through a profile that sends no proofs.
final class BoundCredentialTests: ProfileTestCase {
    private let record = #"{"access_token":"s3cret-a","refresh_token":"s3cret-r","dpop_key":"s3cret-k","version":3}"#

    private func content(_ path: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
    }

    func testARequestFailsBeforeAnythingIsSentAndTheErrorNamesTheKey() throws {
        let server = try tokenServer()
        let store = try temporaryFile(record)
        for refresh in [
            nil, "{\"issuer_is_found\": 0}",
            "{\"url\": \"\(server.tokenURL)\", \"json\": {}, \"access_token\": \"/a\"}",
        ] {
            let isDiscovered = refresh?.contains("issuer_is_found") == true
            let config = try profile(
                server, store: "file:\(store)",
                extra: isDiscovered ? ", \"login\": {\"issuer\": \"\(server.url)\"}" : "",
                refresh: isDiscovered ? "{\"client_id\": \"c\"}" : refresh)
            let result = try freshet("get", "\(server.url)/a", "--config", config, "--profile", "p")
            XCTAssertEqual(result.status, 1)
            XCTAssertTrue(
                result.errorOutput.hasPrefix("freshet: store: ")
                    && result.errorOutput.contains("is bound to a key")
                    && result.errorOutput.contains(#"set "dpop": true in "refresh" of the profile"#), result.errorOutput
            )
            XCTAssertFalse(result.errorOutput.contains("s3cret"), result.errorOutput)
            XCTAssertTrue(server.requests.isEmpty)
            XCTAssertEqual(try content(store), record)
        }
    }

    func testAProfileWithoutARefreshSendsNoBoundCredential() throws {
        let server = try tokenServer()
        let store = try temporaryFile(record)
        let config = try temporaryFile(
            "{\"profiles\": {\"p\": {\"origins\": [\"\(server.url)\"], \"store\": \"file:\(store)\"}}}",
            named: "config.json")
        let result = try freshet("get", "\(server.url)/a", "--config", config, "--profile", "p")
        XCTAssertTrue(result.errorOutput.hasPrefix("freshet: store: "), result.errorOutput)
        XCTAssertTrue(server.requests.isEmpty)
    }

    func testAMoveToAProfileWithoutProofsFailsAndChangesNothing() throws {
        let server = try tokenServer()
        let source = try temporaryFile(record)
        let store = try temporaryDirectory().appendingPathComponent("store.json").path
        let words = ["login", "--profile", "p", "--from-store", "file:\(source)"]
        let refused = try freshet(words + ["--config", profile(server, store: "file:\(store)")])
        XCTAssertEqual(refused.status, 1)
        XCTAssertTrue(refused.errorOutput.hasPrefix("freshet: store: --from-store: "), refused.errorOutput)
        XCTAssertTrue(refused.errorOutput.contains(#"set "dpop": true"#), refused.errorOutput)
        XCTAssertEqual(try content(source), record)
        XCTAssertFalse(FileManager.default.fileExists(atPath: store))
        let refresh = "{\"url\": \"\(server.tokenURL)\", \"client_id\": \"c\", \"dpop\": true}"
        let moved = try freshet(words + ["--config", profile(server, store: "file:\(store)", refresh: refresh)])
        XCTAssertEqual(moved.status, 0, moved.errorOutput)
        XCTAssertEqual(try stored(store)["dpop_key"] as? String, "s3cret-k")
    }
}
