import Foundation
import Freshet
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Runs the examples of the page about responses.
final class ResponsesExampleTests: LiveExampleTestCase {
    func testTextLinesAndPiecesAreRead() async throws {
        server.enqueue(
            ScriptedResponse(headers: [.contentType: "text/plain; charset=latin1"], pieces: [[0x67, 0x72, 0xFC, 0x6E]]))
        let text = try await ResponsesExample.text(server.url, client: runtime.client).value
        XCTAssertEqual(text, "grün")
        let request = try Request(.get, server.url)
        server.enqueue(ScriptedResponse(body: "ok\nan error\r\nok\nerrors"))
        let lines = try await ResponsesExample.lines(of: request, client: runtime.client).toArray().value
        XCTAssertEqual(lines, ["an error", "errors"])
        server.enqueue(ScriptedResponse(body: "12345"))
        let size = try await ResponsesExample.size(of: request, client: runtime.client).value
        XCTAssertEqual(size, 5)
        server.enqueue(ScriptedResponse(body: "12345").withTrailers([HTTPField.Name("X-Check")!: "ok"]))
        let watched = try await ResponsesExample.watched(request, client: runtime.client).value
        XCTAssertEqual(watched.body.count, 5)
        server.enqueue(.repeating([UInt8](repeating: 1, count: 1 << 20), times: 11))
        do {
            _ = try await ResponsesExample.limited(server.url, client: runtime.client).toArray().value
            XCTFail("it is larger than it may be")
        } catch let error as HTTPClientError {
            XCTAssertEqual(error.code, .tooLarge)
        }
    }

    func testADownloadIsSaved() async throws {
        let path = NSTemporaryDirectory() + "responses-\(UUID().uuidString)"
        server.enqueue(ScriptedResponse(body: "hello"))
        let shown = Locked<[Double]>([])
        let file = try await ResponsesExample.download(server.url, to: path, runtime: runtime) { fraction in
            shown.withLock { $0.append(fraction) }
        }.value
        XCTAssertEqual(file.size, 5)
        XCTAssertEqual(shown.withLock { $0 }, [0, 1])
        try FileManager.default.removeItem(atPath: path)
    }
}
