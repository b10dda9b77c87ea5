import Foundation
import Freshet
import FreshetHTTPTesting
import XCTest

/// Runs every command line of the documentation's examples against a server on loopback.
final class DocumentedCommandsTests: CommandLineTestCase {
    private static let articles = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../Sources/Freshet/Freshet.docc/Articles")

    func testEveryCommandLineOfAnExampleRuns() throws {
        respondToAll()
        var count = 0
        for page in try FileManager.default.contentsOfDirectory(atPath: Self.articles.path).sorted() {
            let text = try String(contentsOf: Self.articles.appendingPathComponent(page), encoding: .utf8)
            let lines = text.split(separator: "\n").filter { $0.hasPrefix("$ ") && $0.contains("freshet ") }
                .map { String($0.dropFirst(2)) }.filter { $0 != "man freshet" }
            guard !lines.isEmpty else { continue }
            let directory = try workingDirectory()
            for line in lines {
                count += 1
                let (status, output) = try run(line, in: directory)
                XCTAssertEqual(status, 0, "\(page): \(line)\n\(output)")
            }
        }
        XCTAssertGreaterThan(count, 15)
    }

    private func respondToAll() {
        let event = "id: 1\ndata: a\n\n"
        server.route { request in
            guard request.target.hasPrefix("/events") else { return ScriptedResponse(body: "{}") }
            return ScriptedResponse(
                headers: [.contentType: "text/event-stream"], pieces: [Array("\(event)\(event):".utf8)]
            )
            .pausing(after: 2 * event.utf8.count, until: Barrier())
        }
    }

    /// A folder with the files that the examples read, a profile, and the programs that they call.
    private func workingDirectory() throws -> URL {
        let directory = try temporaryDirectory()
        let credential = #"{"access_token": "a", "refresh_token": "r", "version": 1}"#
        let files = [
            ("items.jsonl", #"{"url": "\#(server.url)/items/1"}"#), ("store.json", credential),
            (
                "config.json",
                """
                {"profiles": {"api": {"origins": ["\(server.url)"], "store": "file:\(directory.path)/store.json",
                    "refresh": {"url": "\(server.url)/token", "client_id": "cli"}}}}
                """
            ),
            // Requests and responses pass as they are; what is made of them is for the real one.
            ("jq", "#!/bin/sh\nfor last; do :; done\nif [ -f \"$last\" ]; then cat \"$last\"; else cat; fi\n"),
        ]
        for (name, text) in files {
            let path = directory.appendingPathComponent(name).path
            XCTAssertTrue(
                FileManager.default.createFile(
                    atPath: path, contents: Data(text.utf8),
                    attributes: [.posixPermissions: name == "jq" ? 0o700 : 0o600]))
        }
        try FileManager.default.createSymbolicLink(
            at: directory.appendingPathComponent("freshet"), withDestinationURL: FreshetProcess.executable)
        return directory
    }

    /// Runs a line in a shell, with the server in place of the example's and with less load.
    private func run(_ line: String, in directory: URL) throws -> (status: Int32, output: String) {
        let line = line.replacing(#/https://[a-z]+\.example\.com/#, with: server.url)
            .replacing(#/-n [0-9]+/#, with: "-n 20").replacing(#/--duration [0-9]+/#, with: "--duration 0.8")
            .replacing(#/--streams [0-9]+/#, with: "--streams 4")
            .replacing("--name ", with: "-n 20 --name ")
        let shell = Process()
        let (input, output) = (Pipe(), Pipe())
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        shell.arguments = ["-c", line]
        shell.currentDirectoryURL = directory
        shell.environment = [
            "PATH": "\(directory.path):/usr/bin:/bin", "HOME": directory.path,
            "FRESHET_CONFIG": directory.appendingPathComponent("config.json").path,
        ]
        (shell.standardInput, shell.standardOutput, shell.standardError) = (input, output, output)
        try input.fileHandleForWriting.write(contentsOf: Data("access\nrefresh\n".utf8))
        try input.fileHandleForWriting.close()
        try shell.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        shell.waitUntilExit()
        return (shell.terminationStatus, text)
    }
}
