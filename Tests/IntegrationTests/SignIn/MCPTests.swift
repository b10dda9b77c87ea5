import Foundation
import XCTest

/// Tests the example of an agent at the servers of the MCP SDK: metadata (RFC 8414, RFC 9728), registration (RFC 7591), PKCE,
/// `resource` (RFC 8707), an event store that resumes, and a scope that one tool requires.
final class MCPTests: ResourceTestCase {
    private func requests(_ server: PythonServer) throws -> [[String: Any]] {
        try XCTUnwrap(server.fetch("/control/requests") as? [[String: Any]])
    }

    private func tool(_ request: [String: Any]) -> String? {
        let body = (request["body"] as? String).map { Data($0.utf8) } ?? Data()
        let message = try? JSONSerialization.jsonObject(with: body) as? [String: Any]
        return (message?["params"] as? [String: Any])?["name"] as? String
    }

    func testASessionNeedsOnlyAnAddress() throws {
        let server = try PythonServer("mcp_server.py", "--retry", "500")
        let script = try temporaryFile("#!/bin/sh\ncurl -s -L -o /dev/null \"$1\"\n", named: "browser")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: script)
        let agent = try Agent("\(server.url)/mcp", browser: script)
        let tools = try ["", "", ""].map { _ in try agent.line() }
        XCTAssertEqual(Set(tools), ["count", "broken_count", "publish"])
        try agent.write("count {\"to\": 3}\n")
        XCTAssertTrue(try agent.line().contains("3"))
        try agent.write("broken_count {\"to\": 6}\n")
        let end = ContinuousClock.now + .seconds(10)
        while try !requests(server).contains(where: { tool($0) == "broken_count" }) {
            guard ContinuousClock.now < end else { return XCTFail("the call has not begun") }
        }
        try server.fetch("/control/expire")
        XCTAssertTrue(try agent.line().contains("6"))
        try agent.write("publish {\"text\": \"news\"}\n")
        XCTAssertEqual(try agent.line(), "published news")
        try agent.end()
        let received = try requests(server)
        XCTAssertEqual(received.filter { $0["path"] as? String == "/register" }.count, 1)
        XCTAssertEqual(received.filter { tool($0) == "broken_count" }.count, 1, "no tool is called twice")
        XCTAssertTrue(received.contains { $0["method"] as? String == "GET" && $0["last_event_id"] is String })
        let logins = received.filter { $0["path"] as? String == "/authorize" }.compactMap { $0["query"] as? String }
        XCTAssertEqual(logins.count, 2)
        XCTAssertTrue(logins.last?.contains("scope=read+write") ?? false, "\(logins)")
        let grants = received.filter { $0["path"] as? String == "/token" }.compactMap { $0["body"] as? String }
        XCTAssertEqual(grants.filter { $0.contains("grant_type=refresh_token") }.count, 1)
    }
}

/// The example as a process.
private final class Agent {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    init(_ url: String, browser: String) throws {
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appendingPathComponent("MCPExample")
        process.arguments = [url]
        process.environment = ProcessInfo.processInfo.environment.merging(["BROWSER": browser]) { $1 }
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    func write(_ text: String) throws { try input.fileHandleForWriting.write(contentsOf: Data(text.utf8)) }

    func line() throws -> String {
        var line = Data()
        while true {
            let next = output.fileHandleForReading.readData(ofLength: 1)
            if next.isEmpty || next.first == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line += next
        }
    }

    func end() throws {
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
        XCTAssertEqual(process.terminationStatus, 0)
    }
}
