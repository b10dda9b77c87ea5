import Foundation
import FreshetHTTPTesting
import XCTest

/// A `freshet run` with a profile that gets one request at a time.
final class Conversation {
    private let run: FreshetProcess
    private let server: TokenServer

    init(with server: TokenServer, _ config: String) throws {
        self.server = server
        run = try FreshetProcess(["run", "--config", config, "--profile", "p"])
    }

    /// Sends a request to the server, and returns the fields of its output line.
    func send(_ path: String = "/") throws -> [String: Any] {
        try run.write("{\"url\": \"\(server.url)\(path)\"}\n")
        var line = Data()
        while line.last != UInt8(ascii: "\n") {
            let next = run.output.fileHandleForReading.readData(ofLength: 1)
            if next.isEmpty { break }
            line += next
        }
        return try JSONSerialization.jsonObject(with: line) as? [String: Any] ?? [:]
    }

    /// The code of the error of a request; empty if it succeeds.
    func errorCode(_ path: String = "/") throws -> String {
        (try send(path)["error"] as? [String: String])?["code"] ?? ""
    }

    /// - Returns: the exit status.
    func end() throws -> Int32 {
        try run.input.fileHandleForWriting.close()
        return run.result().status
    }
}
