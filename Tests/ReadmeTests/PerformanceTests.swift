import Freshet
import FreshetHTTPTesting
import XCTest

/// Runs the examples of the page about performance.
final class PerformanceTests: LiveExampleTestCase {
    func testResponsesAreCountedDecodedAndReadInLines() async throws {
        let sizes = (1...100).map { "\(server.url)/sizes/\($0)" }
        server.route(.get, "/sizes/*") { request in ScriptedResponse(body: request.path) }
        let found = try await Performance.sizes(of: sizes, client: runtime.client)
        XCTAssertEqual(found.reduce(0, +), (1...100).reduce(0) { $0 + "/sizes/\($1)".count })

        server.route(.get, "/catalogue") { _ in .json(#"{"items": ["one"]}"#) }
        let catalogue = try await Performance.catalogue(at: "\(server.url)/catalogue", client: runtime.client).value
        XCTAssertEqual(catalogue, .init(items: ["one"]))

        server.route(.get, "/log") { _ in ScriptedResponse(body: "ok\nan error\nok\nerrors\n") }
        let errors = try await Performance.lines(of: Request(.get, "\(server.url)/log"), client: runtime.client).value
        XCTAssertEqual(errors, 2)
    }

    func testManyRequestsAreTimed() async throws {
        server.route(.get, "/small") { _ in ScriptedResponse(body: "small") }
        let duration = try await Performance.duration(of: "\(server.url)/small", sending: 1000, client: runtime.client)
        XCTAssertGreaterThan(duration, .zero)
        XCTAssertEqual(server.requestCount, 1000)
    }
}
