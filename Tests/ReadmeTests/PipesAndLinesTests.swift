import Foundation
import Freshet
import FreshetHTTPTesting
import XCTest

/// Runs the example of the page about pipes.
final class PipesAndLinesTests: ResourceTestCase {
    func testEachOrderProducesAReceiptInOrder() async throws {
        let runtime = try FreshetRuntime()
        let server = try ScriptedServer(on: runtime.loop)
        server.route(.post, "/orders") { request in
            let number = request.text.filter(\.isNumber)
            return .json(#"{"number":\#(number)}"#).after(number == "1" ? .milliseconds(50) : .zero)
        }
        let (input, output) = (Pipe(), Pipe())
        try input.fileHandleForWriting.write(
            contentsOf: Data("{\"item\":\"no. 1\"}\n{\"item\":\n{\"item\":\"no. 2\"}\n".utf8))
        try input.fileHandleForWriting.close()
        let reports = Locked<[String]>([])
        try await PipesAndLines.receipts(
            from: input.fileHandleForReading.fileDescriptor, to: output.fileHandleForWriting.fileDescriptor,
            api: server.url, runtime: runtime
        ) { report in reports.withLock { $0.append(report) } }.value
        try output.fileHandleForWriting.close()
        let receipts = output.fileHandleForReading.readDataToEndOfFile()
        XCTAssertEqual(String(decoding: receipts, as: UTF8.self), "{\"number\":1}\n{\"number\":2}\n")
        XCTAssertEqual(reports.withLock { $0 }.count, 1)
        XCTAssertTrue(reports.withLock { $0 }.first?.contains("line 2 is not the JSON of Order") ?? false)
        server.close()
        runtime.shutdown()
    }
}
