import Foundation
import FreshetHTTPTesting
import XCTest

final class StatusTests: ProfileTestCase {
    private let oauth = #"{"url": "http://127.0.0.1:1/token", "client_id": "cli"}"#
    private let withoutLogin =
        #"{"url": "http://127.0.0.1:1/token", "client_id": "cli", "grant": "client_credentials"}"#

    /// The result of `status` with `record` in the store's file.
    private func status(of record: String?, refresh: String?, store name: String? = nil) throws -> FreshetResult {
        let directory = try temporaryDirectory()
        let store = directory.appendingPathComponent("s.json").path
        if let record { try Data(record.utf8).write(to: URL(fileURLWithPath: store)) }
        let config = directory.appendingPathComponent("config.json")
        let ending = refresh.map { ", \"refresh\": \($0)" } ?? ""
        let text =
            "{\"profiles\": {\"p\": {\"origins\": [\"https://h\"], \"store\": \"\(name ?? "file:\(store)")\"\(ending)}}}"
        try Data(text.utf8).write(to: config)
        let before = try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
        let result = try freshet(
            "status", "--config", config.path, "--profile", "p", environment: ["D": directory.path])
        XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted(), before)
        XCTAssertFalse((result.text + result.errorOutput).contains("s3cret"), result.text + result.errorOutput)
        return result
    }

    private func record(_ ending: Double?, refreshable: Bool = true, refused: Bool = false) -> String {
        let now = Date().timeIntervalSince1970
        return "{\"access_token\": \"s3cret-a\", \"version\": 7"
            + (refreshable ? ", \"refresh_token\": \"s3cret-r\"" : "")
            + (ending.map { ", \"expires_at\": \(now + $0)" } ?? "") + (refused ? ", \"login_required\": true}" : "}")
    }

    func testEachStateIsReportedWithItsExitStatus() throws {
        for (record, refresh, state, exit) in [
            (record(nil), oauth, "valid", 0),
            (record(3600), oauth, "valid", 0),
            (record(3600, refreshable: false), nil, "valid", 0),
            (record(90), oauth, "valid", 0),
            (record(30), oauth, "expiring", 0),
            (record(30, refreshable: false), nil, "expiring", 0),
            (record(-1), oauth, "expired", 0),
            (record(-1), nil, "expired", 1),
            (record(-1, refreshable: false), oauth, "expired", 1),
            (record(-1, refreshable: false), withoutLogin, "expired", 0),
            (record(3600, refused: true), oauth, "login_required", 1),
            (record(-1, refused: true), oauth, "login_required", 1),
            ("{\"version\": 7}", oauth, "empty", 1),
            ("{\"version\": 7}", withoutLogin, "empty", 0),
            ("{\"version\": 7}", nil, "empty", 1),
        ] as [(String, String?, String, Int32)] {
            let result = try status(of: record, refresh: refresh)
            let details = "\(record) \(result.text) \(result.errorOutput)"
            XCTAssertEqual(result.status, exit, details)
            XCTAssertEqual(result.errorOutput, "", details)
            XCTAssertEqual(result.lines.count, 1, details)
            XCTAssertEqual(result.objects.first?["state"] as? String, state, details)
            XCTAssertEqual(result.objects.first?["version"] as? Int, 7, details)
        }
    }

    func testAnExpiredCredentialWhoseRefreshTokenHasExpiredTooIsNotUsable() throws {
        for (access, end, exit) in [(-1, -1, 1), (-1, 60, 0), (3600, -1, 0)] as [(Double, Double, Int32)] {
            let record = record(access).dropLast()
            let result = try status(
                of: "\(record), \"refresh_expires_at\": \(Date().timeIntervalSince1970 + end)}", refresh: oauth)
            XCTAssertEqual(result.status, exit, result.text)
            XCTAssertEqual(result.objects.first?["state"] as? String, access < 0 ? "expired" : "valid")
        }
    }

    func testTheLineHasTheFiveMembersAndTheTimeOfTheStore() throws {
        let result = try status(
            of:
                #"{"access_token": "s3cret-a", "refresh_token": "s3cret-r", "expires_at": 4102444800.25, "version": 3}"#,
            refresh: oauth)
        let object = try XCTUnwrap(result.objects.first)
        XCTAssertEqual(object.keys.sorted(), ["expires_at", "profile", "state", "store", "version"])
        XCTAssertEqual(object["profile"] as? String, "p")
        XCTAssertTrue((object["store"] as? String)?.hasPrefix("file:/") == true, result.text)
        XCTAssertEqual(object["expires_at"] as? Double, 4_102_444_800.25)
        let whole = try status(
            of: #"{"access_token": "s3cret-a", "scope": "a b", "refresh_expires_at": 7, "id_token": "s3cret-i"}"#,
            refresh: oauth)
        XCTAssertEqual(whole.objects.first?["scope"] as? String, "a b")
        XCTAssertEqual(whole.objects.first?["refresh_expires_at"] as? Double, 7)
        XCTAssertFalse(whole.text.contains("s3cret"), whole.text)
        let unknown = try status(of: #"{"access_token": "s3cret-a", "version": 3}"#, refresh: oauth)
        XCTAssertTrue(unknown.objects.first?["expires_at"] is NSNull, unknown.text)
    }

    func testAMissingStoreIsEmptyWithVersion0() throws {
        let result = try status(of: nil, refresh: oauth)
        XCTAssertEqual(result.status, 1)
        XCTAssertEqual(result.objects.first?["state"] as? String, "empty")
        XCTAssertEqual(result.objects.first?["version"] as? Int, 0)
        XCTAssertTrue(result.objects.first?["expires_at"] is NSNull)
    }

    func testTheStoreIsReportedAsItIsConfigured() throws {
        let result = try status(of: record(nil), refresh: oauth, store: "file:$D/s.json")
        XCTAssertEqual(result.status, 0, result.errorOutput)
        XCTAssertEqual(result.objects.first?["store"] as? String, "file:$D/s.json")
    }

    func testAPasswordInTheURLOfTheStoreIsNeverPrinted() throws {
        for store in ["redis://:s3cret@127.0.0.1:1/0?key=k", "redis://me:s3cret@127.0.0.1:1/0?key=k", "cellar:s3cret"] {
            let result = try status(of: nil, refresh: oauth, store: store)
            XCTAssertEqual(result.status, 1)
            XCTAssertEqual(result.text, "")
            XCTAssertTrue(result.errorOutput.hasPrefix("freshet: store: "), result.errorOutput)
        }
    }

    func testAnUnreadableStoreIsAStoreErrorWithoutALine() throws {
        for record in ["nonsense s3cret", #"{"access_token": 5, "refresh_token": "s3cret"}"#] {
            let result = try status(of: record, refresh: oauth)
            XCTAssertEqual(result.status, 1)
            XCTAssertEqual(result.text, "")
            XCTAssertTrue(result.errorOutput.hasPrefix("freshet: store: "), result.errorOutput)
        }
    }

    func testTheStatusFollowsASessionThroughItsLifetime() throws {
        let server = try tokenServer()
        let (config, _) = try loggedIn(server)
        func status() throws -> FreshetResult { try freshet("status", "--config", config, "--profile", "p") }
        XCTAssertEqual(try status().objects.first?["state"] as? String, "valid")
        server.revokeSessions()
        XCTAssertEqual(try status().status, 0, "it asks nobody")
        XCTAssertEqual(try freshet("get", server.url, "--config", config, "--profile", "p").status, 1)
        let refused = try status()
        XCTAssertEqual(refused.objects.first?["state"] as? String, "login_required")
        XCTAssertEqual(refused.status, 1)
        try logIn(to: server, config)
        XCTAssertEqual(try status().objects.first?["state"] as? String, "valid")
        XCTAssertEqual(try freshet("logout", "--config", config, "--profile", "p").status, 0)
        XCTAssertEqual(try status().objects.first?["state"] as? String, "empty")
    }
}
