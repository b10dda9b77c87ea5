import Foundation
import XCTest

@testable import freshet_cli

final class OutputFileTests: XCTestCase {
    /// In a container each run can have the same process number.
    func testAFileThatAKilledRunHasLeftDoesNotStopTheNextRun() throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let path = directory.appendingPathComponent("out").path
        for text in ["killed", "complete"] {
            let file = try OutputFile(path)
            defer { close(file.descriptor) }
            if text == "complete" { try file.write(Array(text.utf8)) }
        }
        XCTAssertEqual(try String(contentsOfFile: path, encoding: .utf8), "complete")
    }

    func testTheNameOfAFileCanHaveAsManyBytesAsTheSystemAllows() throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        for name in [String(repeating: "a", count: 255), String(repeating: "\u{20AC}", count: 85)] {
            let file = try OutputFile("\(directory.path)/\(name)")
            try file.write(Array("complete".utf8))
            close(file.descriptor)
            XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: directory.path), [name])
            try FileManager.default.removeItem(atPath: "\(directory.path)/\(name)")
            XCTAssertThrowsError(try OutputFile("\(directory.path)/\(name)a"))
        }
    }
}
