import Foundation
import FreshetHTTPTesting
import XCTest

/// Tests what `freshet bench` says of a credential that can't be used. That failure comes from the thread of the store.
final class AuthenticatedBenchTests: ProfileTestCase {
    private func bench(_ server: TokenServer, _ config: String, _ words: [String]) throws -> FreshetResult {
        try FreshetProcess(["bench", "\(server.url)/data", "--config", config, "--profile", "p"] + words).result()
    }

    func testWithoutALoginTheBenchmarkReportsEachRequestAndEnds() throws {
        let server = try tokenServer()
        let config = try profile(server, store: "file:\(try temporaryDirectory().path)/none.json")
        for words in [["--loops", "1"], ["--loops", "2"], ["--rate", "200"]] {
            let result = try bench(server, config, ["-n", "20", "--json"] + words)
            XCTAssertEqual(result.status, 1, "\(words): \(result.errorOutput)")
            XCTAssertEqual(result.objects.first?["errors"] as? Int, 20, "\(words)")
        }
    }

    func testWithoutATokenEndpointTheBenchmarkReportsEachRequestAndEnds() throws {
        let server = try tokenServer()
        let (config, _) = try loggedIn(server, refresh: #"{"url": "http://127.0.0.1:1/token", "client_id": "cli"}"#)
        server.expireTokens()
        let result = try bench(server, config, ["-n", "300", "-c", "8"])
        XCTAssertEqual(result.status, 1, result.errorOutput)
        XCTAssertTrue(result.text.contains("refresh_failed"), result.text)
    }

    func testWithoutALoginTheBenchmarkOpensNoStream() throws {
        let server = try tokenServer()
        let config = try profile(server, store: "file:\(try temporaryDirectory().path)/none.json")
        let result = try bench(server, config, ["--streams", "3", "--duration", "1", "--json"])
        XCTAssertEqual(result.status, 1, result.errorOutput)
        XCTAssertEqual(result.objects.first?["errors"] as? Int, 3)
    }
}
