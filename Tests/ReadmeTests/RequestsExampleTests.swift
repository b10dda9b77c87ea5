import Foundation
import Freshet
import FreshetHTTPTesting
import HTTPTypes
import XCTest

final class RequestsExampleTests: ResourceTestCase {
    func testAddressesAreEncoded() throws {
        XCTAssertEqual(
            try Requests.search().url.absoluteString,
            "https://api.example/v1/search?q=fresh%20water&page=2&tag%5B%5D=sea&tag%5B%5D=tide")
        XCTAssertEqual(try Requests.user("a/b").absoluteString, "https://api.example/v1/users/a%2Fb")
        XCTAssertThrowsError(try Requests.user(".."))
    }

    func testBodiesArriveWithTheirTypes() async throws {
        let runtime = try FreshetRuntime()
        let server = try ScriptedServer(on: runtime.loop)
        server.route { _ in ScriptedResponse() }
        for body in try Requests.bodies().dropLast() { _ = try await runtime.client.post(server.url, body: body).value }
        XCTAssertEqual(
            server.requests.map(\.text), [#"{"item":"tide table"}"#, "user=ada&remember=yes", "Spring tide on Friday"])
        XCTAssertEqual(
            server.requests.map { $0.headers[.contentType] },
            ["application/json", "application/x-www-form-urlencoded", "text/plain; charset=utf-8"])
        XCTAssertNil(Requests.live(on: runtime).length)

        let path = NSTemporaryDirectory() + UUID().uuidString
        try "a picture".write(toFile: path, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: path) }
        _ = try await runtime.client.post(server.url, body: Requests.photo(at: path)).value
        XCTAssertTrue(server.requests.last?.text.contains("\r\n\r\na picture\r\n") == true)
        let address = try RequestURL(server.url)
        var last = ""
        for try await line in Requests.progress(of: path, to: address, by: runtime.client).values { last = line }
        XCTAssertEqual(last, "9 of 9 bytes")
        _ = try await runtime.client.send(Requests.upload(of: path, to: address)).value
        XCTAssertEqual(server.requests.last?.headers[.expect], "100-continue")
        XCTAssertEqual(server.requests.last?.text, "a picture")
        server.close()
        runtime.shutdown()
    }
}
