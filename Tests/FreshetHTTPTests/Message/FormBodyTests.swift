import FreshetHTTP
import HTTPTypes
import XCTest

final class FormBodyTests: XCTestCase {
    /// The example of RFC 6749 appendix B, and further texts that a decoder could mistake for the structure of the form.
    func testAFormIsEncodedUnambiguously() {
        XCTAssertEqual(RequestBody.formEncoded(" %&+£€"), "+%25%26%2B%C2%A3%E2%82%AC")
        XCTAssertEqual(RequestBody.formEncoded("aZ09-._*"), "aZ09-._*")
        XCTAssertEqual(
            RequestBody.form([("a=b", "c&d"), ("a=b", ""), ("", "~/?#\n")]),
            .bytes(Array("a%3Db=c%26d&a%3Db=&=%7E%2F%3F%23%0A".utf8), contentType: "application/x-www-form-urlencoded"))
        XCTAssertEqual(RequestBody.form([]).bytes, [])
    }

    func testDecodingIsTheInverseOfEncodingAndRefusesWhatIsNoEncodedText() {
        for text in ["", " %&+£€", "aZ09-._*", "a=b;c/d?\n\0"] {
            XCTAssertEqual(RequestBody.formDecoded(RequestBody.formEncoded(text)), text)
        }
        XCTAssertEqual(RequestBody.formDecoded("a%2bb~%c3%A9"), "a+b~é")
        for text in ["%", "%4", "a%4", "%+5", "%4g", "%zz", "%ff", "%c3"] {
            XCTAssertNil(RequestBody.formDecoded(text), text)
        }
    }

    func testTheDateOfAResponseIsParsedOrMissing() throws {
        var response = Response(head: HTTPResponse(status: .ok), url: try RequestURL("https://h/"))
        XCTAssertNil(response.date)
        response.head.headerFields[.date] = "Sun, 06 Nov 1994 08:49:37 GMT"
        XCTAssertEqual(response.date, 784_111_777)
        response.head.headerFields[.date] = "1994-11-06"
        XCTAssertNil(response.date)
    }
}
