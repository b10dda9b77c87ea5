import FoundationEssentials
import FreshetHTTP
import HTTPTypes
import XCTest

/// Tests that a failure to decode names its place and its reason, and no value.
final class DecodingErrorTests: XCTestCase {
    private struct Page: Decodable {
        struct Item: Decodable {
            enum Kind: String, Decodable { case sea, tide }
            var id: Int
            var kind: Kind?
            var tags: [String]?
        }

        var items: [Item]
    }

    private struct Quote: Decodable {
        var lastPrice: Double
    }

    private func words<Value: Decodable>(
        _ json: String, as type: Value.Type = Page.self, using decoder: JSONDecoder = JSONDecoder()
    ) -> String? {
        do {
            _ = try decoder.decode(type, from: Data(json.utf8))
            return nil
        } catch {
            return (error as? DecodingError)?.reason(in: [UInt8](json.utf8))
        }
    }

    func testADecodingErrorNamesThePathAndTheExpectedAndFoundTypes() {
        XCTAssertEqual(words(#"{"items": [{"id": 1}, {"id": "s3cret"}]}"#), "items[1].id: expected Int, found string")
        XCTAssertEqual(words(#"{"items": [{"id": null}]}"#), "items[0].id: expected Int, found null")
        XCTAssertEqual(words(#"{"items": [{}]}"#), "items[0]: the member id is missing")
        XCTAssertEqual(words(#"{"items": {}}"#), "items: expected array, found object")
        XCTAssertEqual(
            words(#"{"items": [{"id": 1, "tags": [1]}]}"#), "items[0].tags[0]: expected String, found number")
        XCTAssertEqual(words(#"{"items": [{"id": 1, "kind": "s3cret"}]}"#), "items[0].kind: the value is not valid")
        XCTAssertEqual(words("[]"), "expected object, found array")
        XCTAssertEqual(words("{}"), "the member items is missing")
        XCTAssertEqual(words("s3cret"), "the text is not valid")
    }

    func testAMemberWhoseNameTheDecoderHasConvertedIsNamedAsInTheBody() {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        func quotes(_ json: String) -> String? { words(json, as: [Quote].self, using: decoder) }
        XCTAssertEqual(quotes(#"[{"last_price": "s3cret"}]"#), "[0].last_price: expected Double, found string")
        XCTAssertEqual(quotes(#"[{"_last_price": "s3cret", "id": 1}]"#), "[0]: the member lastPrice is missing")
        XCTAssertEqual(
            quotes(#"[{"last_price": "s3cret", "last__price": "s3cret"}]"#), "[0].lastPrice: expected Double")
    }

    func testAnEmptyBodyIsNamedWithWhatToDoAboutIt() throws {
        let response = Response(head: HTTPResponse(status: .noContent), url: try RequestURL("http://a/"))
        XCTAssertThrowsError(try response.decoded(Page.self)) { error in
            let error = error as? HTTPClientError
            XCTAssertEqual(error?.message, "the body of the 204 response is not the JSON of Page: it is empty")
            XCTAssertEqual(error?.recoverySuggestion, "leave out decode, or decode an optional type")
        }
        XCTAssertNil(try response.decoded(Page?.self))
    }

    func testAMemberNameWithControlCharactersIsMadePrintable() throws {
        let words = try XCTUnwrap(words(#"{"a\u001b[2J": "x"}"#, as: [String: Int].self))
        XCTAssertEqual(words, "a[2J: expected Int, found string")
    }
}
