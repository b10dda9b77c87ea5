import Foundation
import Freshet
import XCTest

/// Runs the example of the page about files and pipes.
final class FilesAndPipesTests: ResourceTestCase {
    func testOneDescriptorIsCopiedToAnotherInCapitalLetters() throws {
        XCTAssertEqual(try inCapitals("Hear, hear!"), "HEAR, HEAR!")
    }

    private func inCapitals(_ text: String) throws -> String {
        let loop = try Loop(name: "copy")
        defer { loop.shutdown() }
        let (input, output) = (Pipe(), Pipe())
        let done = expectation(description: "copied")
        let copying = Shouting.copy(
            from: input.fileHandleForReading.fileDescriptor, to: output.fileHandleForWriting.fileDescriptor, on: loop
        ).subscribe(onCompleted: { done.fulfill() })
        try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
        try input.fileHandleForWriting.close()
        wait(for: [done], timeout: 20)
        try output.fileHandleForWriting.close()
        copying.dispose()
        return String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    }
}
