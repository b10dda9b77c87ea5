import FreshetHTTP
import HTTPTypes
import XCTest

final class RedactionTests: XCTestCase {
    func testOnlyTheNamesOfAQueryAreShown() throws {
        let redaction = Redaction()
        for (query, shown) in [
            ("", ""), ("?", ""), ("?a=b", "?a=REDACTED"), ("?a=b&c=d=e", "?a=REDACTED&c=REDACTED"),
            ("?token", "?REDACTED"), ("?a=&&b", "?a=REDACTED&&REDACTED"),
        ] {
            XCTAssertEqual(redaction.url(try RequestURL("http://a/x\(query)")), "http://a/x\(shown)")
        }
    }

    func testAllowedQueryNamesAndFieldsAreShown() throws {
        var redaction = Redaction()
        redaction.shownQueryNames = ["page"]
        redaction.shownFields.insert(.authorization)
        XCTAssertEqual(redaction.url(try RequestURL("http://a/?page=2&k=v")), "http://a/?page=2&k=REDACTED")
        XCTAssertEqual(redaction.value(of: HTTPField(name: .authorization, value: "x")), "x")
        XCTAssertEqual(redaction.value(of: HTTPField(name: .cookie, value: "x")), "REDACTED")
        XCTAssertEqual(redaction.value(of: HTTPField(name: .accept, value: "x")), "x")
    }
}
