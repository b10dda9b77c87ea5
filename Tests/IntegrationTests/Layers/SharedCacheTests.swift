import Foundation
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Lets processes of two accounts share a cache folder that is too small for them, while some of them are killed.
/// `FRESHET_CACHES` sets the number of processes.
final class SharedCacheTests: CommandLineTestCase {
    func testKilledProcessesDoNotDamageTheCacheAndNoAccountReceivesTheResponseOfAnother() throws {
        let count = ProcessInfo.processInfo.environment["FRESHET_CACHES"].flatMap { Int($0) } ?? 6
        server.route { request in
            ScriptedResponse(
                headers: [.cacheControl: "max-age=1000", .eTag: "\"\(request.path)\""],
                body: "\(request.headers[.authorization] ?? "nobody") \(request.path)")
        }
        let folder = try temporaryDirectory().appendingPathComponent("cache").path
        let runs = try (0..<count).map { number in
            let account = "Bearer account-\(number % 2)"
            let run = try FreshetProcess(["run", "--cache", folder, "--cache-size", "600000", "-c", "8"])
            let input = (0..<600).map { line in
                "{\"url\": \"\(server.url)/\((line &* 31 &+ number) % 200)\", \"headers\": {\"Authorization\": \"\(account)\"}}\n"
            }
            try run.write(input.joined())
            try run.input.fileHandleForWriting.close()
            return (number: number, account: account, run: run)
        }
        for (number, _, run) in runs where number % 3 == 2 {
            // In the middle of its work: its first lines are out.
            _ = run.output.fileHandleForReading.availableData
            kill(run.process.processIdentifier, SIGKILL)
        }
        for (number, account, run) in runs {
            let result = run.result()
            let isKilled = number % 3 == 2
            if !isKilled {
                XCTAssertEqual(result.status, 0, result.errorOutput)
                XCTAssertEqual(result.errorOutput, "")
                XCTAssertEqual(result.lines.count, 600)
            }
            // A process that was killed may have written a part of its last line.
            for object in isKilled ? [] : result.objects {
                let body = object["body"] as? String
                XCTAssertTrue(body?.hasPrefix("\(account) /") ?? false, "\(body ?? "no body")")
            }
        }
        // Whoever comes later finds right responses, and a folder that is not too large.
        let input = (0..<200).map {
            "{\"url\": \"\(server.url)/\($0)\", \"headers\": {\"Authorization\": \"Bearer account-0\"}}\n"
        }
        let later = try freshet(
            ["run", "--cache", folder, "--cache-size", "600000", "--ordered"], input: input.joined())
        XCTAssertEqual(later.objects.map { $0["body"] as? String }, (0..<200).map { "Bearer account-0 /\($0)" })
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.contains(".") }
        XCTAssertLessThan(files.count * 4096, 700_000)
    }
}
