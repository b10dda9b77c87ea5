import Foundation
import XCTest

@testable import freshet_cli

final class ConsoleTests: XCTestCase {
    /// Ten lines per second were queued, without a limit.
    func testAStoppedTerminalQueuesOneDrawnLine() throws {
        Console.flush()
        let (pipe, standardError) = (Pipe(), dup(STDERR_FILENO))
        let reading = pipe.fileHandleForReading.fileDescriptor
        dup2(pipe.fileHandleForWriting.fileDescriptor, STDERR_FILENO)
        defer {
            dup2(standardError, STDERR_FILENO)
            close(standardError)
        }
        for end in [reading, STDERR_FILENO] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        let page = [UInt8](repeating: UInt8(ascii: "-"), count: 4096)
        while write(STDERR_FILENO, page, page.count) > 0 {}
        for number in 0..<1000 { Console.draw("line \(number)") }
        var output = bytes(from: reading)
        Console.flush()
        output += bytes(from: reading)
        XCTAssertEqual(String(decoding: output.drop { $0 == page[0] }, as: UTF8.self), "\rline 0\u{1B}[K")
        Console.draw("more")
        Console.write("end")
        Console.flush()
        XCTAssertEqual(String(decoding: bytes(from: reading), as: UTF8.self), "\rmore\u{1B}[K\r\u{1B}[Kend")
    }

    /// The bytes that a non-blocking descriptor has.
    private func bytes(from descriptor: Int32) -> [UInt8] {
        var (all, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
        while case let count = read(descriptor, &buffer, buffer.count), count > 0 { all += buffer[..<count] }
        return all
    }
}
