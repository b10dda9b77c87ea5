import Foundation
import XCTest

/// Runs a test that stops the program in a process of its own.
///
/// - Parameter test: the test's name, as in `FreshetCoreTests.BindTests/testX`. The process calls it again. This function then
///   returns `nil`, and the test has to make the mistake.
/// - Returns: the exit status of the process, and its standard error.
func inChildProcess(_ test: String) throws -> (status: Int32, text: String)? {
    if ProcessInfo.processInfo.environment["FRESHET_CHILD"] == test { return nil }
    let child = Process()
    child.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    child.arguments = [test]
    child.environment = ProcessInfo.processInfo.environment.merging(
        ["FRESHET_CHILD": test, "SWIFT_BACKTRACE": "enable=no"], uniquingKeysWith: { $1 })
    let errors = Pipe()
    child.standardError = errors
    child.standardOutput = FileHandle.nullDevice
    try child.run()
    let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    child.waitUntilExit()
    return (child.terminationStatus, text)
}

/// Asserts that `mistake` stops the program in a debug build, and is only reported in others.
func assertFatalInDebug(
    _ test: String, message: String, file: StaticString = #filePath, line: UInt = #line, _ mistake: () -> Void
) throws {
    guard let end = try inChildProcess(test) else { return mistake() }
    XCTAssertTrue(end.text.contains(message), end.text, file: file, line: line)
    #if DEBUG
        XCTAssertNotEqual(end.status, 0, file: file, line: line)
    #else
        XCTAssertEqual(end.status, 0, file: file, line: line)
    #endif
}
