import Dispatch
import Foundation
import Freshet
import XCTest

@testable import freshet_cli

final class ConsoleTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    /// Calls `body` with the reading end of a pipe that is full, and whose other end is standard error meanwhile.
    private func withStoppedTerminal(_ body: (Int32) -> Void) {
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
        body(reading)
    }

    /// Ten lines per second were queued, without a limit.
    func testAStoppedTerminalQueuesOneDrawnLine() {
        withStoppedTerminal { reading in
            for number in 0..<1000 { Console.draw("line \(number)") }
            var output = bytes(from: reading)
            Console.flush()
            output += bytes(from: reading)
            XCTAssertEqual(
                String(decoding: output.drop { $0 == UInt8(ascii: "-") }, as: UTF8.self), "\rline 0\u{1B}[K")
            Console.draw("more")
            Console.write("end")
            Console.flush()
            XCTAssertEqual(String(decoding: bytes(from: reading), as: UTF8.self), "\rmore\u{1B}[K\r\u{1B}[Kend")
        }
    }

    func testEventsWaitForTheLinesBeforeThem() throws {
        withStoppedTerminal { reading in
            let bodies = PublishSubject<String>()
            let ended = DispatchSemaphore(value: 0)
            let isStarted = Locked(false)
            let subscription = bodies.afterConsole().subscribe(
                onNext: { body in
                    isStarted.withLock { $0 = true }
                    try? writeAll(Array(body.utf8), to: STDERR_FILENO)
                },
                onError: { _ in ended.signal() })
            defer { subscription.dispose() }
            for number in 1...3 {
                Console.write("line \(number)\n")
                bodies.onNext("body \(number)\n")
            }
            bodies.onError(SystemError(EPIPE))
            XCTAssertFalse(isStarted.withLock { $0 })
            var output = bytes(from: reading)
            XCTAssertEqual(ended.wait(timeout: .now() + 20), .success)
            // The queue releases the stream after the error is delivered.
            Console.flush()
            output += bytes(from: reading)
            let lines = String(decoding: output, as: UTF8.self).drop { $0 == "-" }
            XCTAssertEqual(lines, "line 1\nbody 1\nline 2\nbody 2\nline 3\nbody 3\n")
        }
    }

    /// The bytes that a non-blocking descriptor has.
    private func bytes(from descriptor: Int32) -> [UInt8] {
        var (all, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
        while case let count = read(descriptor, &buffer, buffer.count), count > 0 { all += buffer[..<count] }
        return all
    }
}
