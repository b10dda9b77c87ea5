import Foundation
import Freshet
import FreshetHTTPTesting
import XCTest

final class EncodersAndDecodersTests: LiveExampleTestCase {
    func testTheCodersOfTheClientAndOfTheCallAreUsed() async throws {
        let server = try XCTUnwrap(server)
        let client = EncodersAndDecoders.client(runtime)
        let article = EncodersAndDecoders.Article(title: "a", writtenAt: Date(timeIntervalSince1970: 0))
        server.enqueue(.json(#"{"title": "b", "written_at": "1970-01-01T00:01:00Z"}"#))
        let url = try XCTUnwrap(URL(string: server.url))
        let updated = try await EncodersAndDecoders.update(article, at: url, by: client).value
        XCTAssertEqual(updated.writtenAt, Date(timeIntervalSince1970: 60))
        XCTAssertTrue(server.requests[0].text.contains(#""written_at":"1970-01-01T00:00:00Z""#))
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .xml
        let list = try encoder.encode(article)
        server.enqueue(ScriptedResponse(body: String(decoding: list, as: UTF8.self)))
        let echoed = try await EncodersAndDecoders.propertyList(article, at: url, by: client).value
        XCTAssertEqual(echoed, article)
        XCTAssertEqual(server.requests[1].headers[.contentType], "application/x-plist")
        server.enqueue(ScriptedResponse(body: "one\ntwo\n"))
        let names = try await client.call(EncodersAndDecoders.Names(), at: server.url).value
        XCTAssertEqual(names, ["one", "two"])
    }
}
