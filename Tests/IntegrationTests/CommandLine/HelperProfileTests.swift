import Foundation
import XCTest

/// Tests which record of a credential helper belongs to which profile.
final class HelperProfileTests: ProfileTestCase {
    private var environment: [String: String] = [:]
    private var records = ""

    override func setUpWithError() throws {
        try super.setUpWithError()
        let directory = try temporaryDirectory()
        records = directory.appendingPathComponent("records").path
        try FileManager.default.createDirectory(atPath: records, withIntermediateDirectories: true)
        let helper = directory.appendingPathComponent("docker-credential-files").path
        try Data(
            #"""
            #!/bin/sh
            case $1 in
            store) record=$(cat); name=$(echo "$record" | sed 's/.*"ServerURL":"\([^"]*\)".*/\1/; s,\\,,g' | tr / _)
                echo "$record" > "$RECORDS/$name" ;;
            get) name=$(tr / _)
                cat "$RECORDS/$name" 2>/dev/null || { echo "credentials not found in native keychain"; exit 1; } ;;
            erase) rm -f "$RECORDS/$(tr / _)" ;;
            esac
            """#.utf8
        ).write(to: URL(fileURLWithPath: helper))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: helper)
        environment = [
            "PATH": "\(directory.path):\(ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")",
            "RECORDS": records, "XDG_STATE_HOME": directory.path,
        ]
    }

    private func config(_ names: String...) throws -> String {
        let profiles = names.map {
            "\"\($0)\": {\"origins\": [\"https://h\"], \"store\": \"helper:docker-credential-files\"}"
        }
        return try temporaryFile("{\"profiles\": {\(profiles.joined(separator: ", "))}}", named: "config.json")
    }

    private func state(of profile: String, _ config: String) throws -> String? {
        let result = try freshet("status", "--config", config, "--profile", profile, environment: environment)
        return result.objects.first?["state"] as? String
    }

    func testProfilesWithDotsInTheirNamesShareNoRecord() throws {
        let config = try config("prod.api", "staging.api", "api", "a/b", "a b")
        let result = try freshet(
            "login", "--config", config, "--profile", "prod.api", "--access-token", "-", input: "s3cret\n",
            environment: environment)
        XCTAssertEqual(result.status, 0, result.errorOutput)
        XCTAssertEqual(try state(of: "prod.api", config), "valid")
        for other in ["staging.api", "api", "a/b", "a b"] {
            XCTAssertEqual(try state(of: other, config), "empty", other)
        }
    }

    func testAPlainNameKeepsItsRecord() throws {
        let config = try config("my_api-2")
        _ = try freshet(
            "login", "--config", config, "--profile", "my_api-2", "--access-token", "-", input: "s3cret\n",
            environment: environment)
        XCTAssertEqual(
            try FileManager.default.contentsOfDirectory(atPath: records), ["https:__freshet.invalid_my_api-2"])
    }

    /// The process stayed for the minute that a helper may take.
    func testAHelperThatDoesNotAnswerHoldsNoEndBack() throws {
        let config = try config("p")
        let begun = try temporaryDirectory().appendingPathComponent("begun").path
        try Data("#!/bin/sh\ntouch '\(begun)'\nexec sleep 50\n".utf8).write(
            to: URL(fileURLWithPath: records).deletingLastPathComponent().appendingPathComponent(
                "docker-credential-files"))
        let clock = ContinuousClock()
        let start = clock.now
        let late = try freshet(
            "get", "https://h/a", "--config", config, "--profile", "p", "-m", "1", environment: environment)
        XCTAssertEqual(late.status, 1)
        XCTAssertTrue(
            late.errorOutput.contains("waited for the store of the credential or its refresh"), late.errorOutput)
        XCTAssertFalse(late.errorOutput.contains("interceptor"), late.errorOutput)
        XCTAssertTrue(
            late.errorOutput.contains("find out why docker-credential-files does not respond, or"), late.errorOutput)
        for verb in [["get", "https://h/a"], ["status"], ["login", "--access-token", "-"]] {
            try FileManager.default.removeItem(atPath: begun)
            let run = try FreshetProcess(
                verb + ["--config", config, "--profile", "p"], environment: environment)
            try run.write("s3cret\n")
            waitUntil("the helper runs") { FileManager.default.fileExists(atPath: begun) }
            kill(run.process.processIdentifier, SIGINT)
            XCTAssertEqual(run.result().status, 130)
        }
        let status = try FreshetProcess(["status", "--config", config, "--profile", "p"], environment: environment)
        XCTAssertEqual(status.firstErrorOutput(), "freshet: note: waiting for docker-credential-files\n")
        kill(status.process.processIdentifier, SIGINT)
        XCTAssertEqual(status.result().status, 130)
        XCTAssertLessThan(clock.now - start, .seconds(25))
    }

    /// The note was printed for each call of the helper.
    func testASlowHelperIsNotedOnce() throws {
        let config = try config("p")
        let login = ["login", "--config", config, "--profile", "p", "--access-token", "-"]
        XCTAssertEqual(try freshet(login, input: "s3cret\n", environment: environment).status, 0)
        let folder = URL(fileURLWithPath: records).deletingLastPathComponent()
        let helper = folder.appendingPathComponent("docker-credential-files")
        try FileManager.default.moveItem(at: helper, to: folder.appendingPathComponent("quick"))
        try Data("#!/bin/sh\ntest $1 = store || sleep 1.3\nexec quick $1\n".utf8).write(to: helper)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: helper.path)
        let result = try freshet("logout", "--config", config, "--profile", "p", environment: environment)
        XCTAssertEqual(result.status, 0, result.errorOutput)
        let notes = result.errorOutput.components(separatedBy: "note: waiting for docker-credential-files").count - 1
        XCTAssertEqual(notes, 1, result.errorOutput)
    }

    func testAProfileMovesItsRecordFromAHelper() throws {
        let old = try config("p")
        _ = try freshet(
            "login", "--config", old, "--profile", "p", "--access-token", "-", input: "s3cret\n",
            environment: environment)
        let store = try temporaryDirectory().appendingPathComponent("s.json").path
        let new = try temporaryFile(
            "{\"profiles\": {\"p\": {\"origins\": [\"https://h\"], \"store\": \"file:\(store)\"}}}",
            named: "config.json")
        let result = try freshet(
            "login", "--config", new, "--profile", "p", "--from-store", "helper:docker-credential-files",
            environment: environment)
        XCTAssertEqual(result.status, 0, result.errorOutput)
        XCTAssertEqual(try stored(store)["access_token"] as? String, "s3cret")
        XCTAssertEqual(try state(of: "p", old), "empty")
    }
}
