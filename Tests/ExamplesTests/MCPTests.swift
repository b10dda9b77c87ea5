import Foundation
import Freshet
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests an agent that gets only the address of an MCP server, with a script as its browser.
final class MCPTests: ExampleTestCase {
    override func setUpWithError() throws {
        try super.setUpWithError()
        _ = ScriptedMCPServer(on: server)
    }

    func testASessionNeedsOnlyAnAddressAndSurvivesExpiryAndStepUp() throws {
        let folder = NSTemporaryDirectory() + "mcp-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try "#!/bin/sh\ncurl -s -L -o /dev/null \"$1\"\n".write(
            toFile: "\(folder)/browser", atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: "\(folder)/browser")
        let agent = try ExampleProcess(
            "MCPExample", "\(server.url)/mcp", environment: ["BROWSER": "\(folder)/browser"])
        try agent.write("slow\nadmin {\"a\": 1}\nadmin\n")
        try agent.endInput()
        XCTAssertEqual(
            agent.lines(), ["slow", "admin", "half", "whole", "done with read write", "done with read write"])
        let requests = server.requests
        XCTAssertEqual(
            requests.filter { $0.path == "/register" }.count, 1, "the second login is one of the same client")
        XCTAssertEqual(
            requests.filter { $0.path == "/authorize" }.map {
                ScriptedMCPServer.form($0.target.split(separator: "?")[1])["scope"]
            },
            ["read", "read write"])
        XCTAssertEqual(
            requests.filter { $0.path == "/token" }.map { ScriptedMCPServer.form($0.text)["grant_type"] },
            ["authorization_code", "refresh_token", "authorization_code"])
        let calls = requests.filter { $0.path == "/mcp" && $0.text.contains(#""slow""#) }
        XCTAssertEqual(calls.count, 1, "no tool is called twice")
        XCTAssertTrue(
            requests.filter { $0.path == "/mcp" && $0.bearerToken != nil }.dropFirst().allSatisfy {
                $0.headers[HTTPField.Name("Mcp-Session-Id")!] == "s1"
            })
    }
}
