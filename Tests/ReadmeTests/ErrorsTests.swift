import Foundation
import Freshet
import FreshetHTTPTesting
import XCTest

final class ErrorsTests: ResourceTestCase {
    func testThePageListsEveryCode() throws {
        let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Sources/Freshet/Freshet.docc/Articles/ErrorCodes.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        for code in HTTPClientError.Code.allCases {
            XCTAssertTrue(text.contains("| `\(code.rawValue)` |"), code.rawValue)
        }
    }

    func testTheExampleDistinguishesErrors() async throws {
        let runtime = try FreshetRuntime()
        let server = try ScriptedServer(on: runtime.loop)
        server.enqueue(ScriptedResponse(body: "text"), ScriptedResponse(status: .notFound))
        let found = await Errors.text(of: server.url, by: runtime.client)
        let missing = await Errors.text(of: server.url, by: runtime.client)
        let refused = await Errors.text(of: "relative", by: runtime.client)
        XCTAssertEqual(found, "text")
        XCTAssertEqual(missing, "the server responded with 404")
        XCTAssertTrue(refused.hasPrefix("invalid_request: "), refused)
        server.close()
        runtime.shutdown()
    }
}
