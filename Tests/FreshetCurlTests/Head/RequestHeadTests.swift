import CFreshetCurl
import FreshetHTTP
import HTTPTypes
import XCTest

@testable import FreshetCurl

/// Tests the head of a request as one text.
final class RequestHeadTests: XCTestCase {
    private let sender = "User-Agent: \(HTTPClient.userAgent)"
    private let codings = RequestHead.acceptLines.dropLast()

    override class func setUp() {
        super.setUp()
        CurlLibrary.start()
    }

    /// The lines of the head, or `nil` if the head can't be written as one text.
    private func lines(
        _ fields: HTTPFields, target: String = "/x", to origin: String = "http://a.example:81", hasBody: Bool = false
    ) throws -> [String]? {
        let url = try XCTUnwrap(CurlURL(RequestURL(origin + "/").origin))
        var head = RequestHead()
        guard head.write(fields, target: target, to: url, hasBody: hasBody) != nil else { return nil }
        let text = String(cString: head.start)
        XCTAssertFalse(text.hasSuffix("\r\n"))
        return text.components(separatedBy: "\r\n")
    }

    func testAHeadContainsTheTargetTheHostTheCodingsAndTheUserAgent() throws {
        XCTAssertEqual(
            try lines([.authorization: "Bearer t"], target: "/a?b"),
            ["/a?b HTTP/1.1", "Host: a.example:81"] + codings + ["Accept: */*", "Authorization: Bearer t", sender])
    }

    func testFieldsOfTheRequestReplaceTheDefaults() throws {
        let host = try XCTUnwrap(HTTPField.Name("Host"))
        XCTAssertEqual(
            try lines([.accept: "text/html", host: "b.example", .acceptEncoding: "identity"]),
            ["/x HTTP/1.1", "Accept: text/html", "Host: b.example", "Accept-Encoding: identity", sender])
    }

    func testARequestForARangeAsksForNoCompressionUnlessItSaysWhatItTakes() throws {
        XCTAssertEqual(
            try lines([.range: "bytes=0-9"])?.dropFirst(2),
            ["Accept-Encoding: identity", "Accept: */*", "Range: bytes=0-9", sender])
        XCTAssertEqual(
            try lines([.range: "bytes=0-9", .acceptEncoding: "gzip"])?.dropFirst(2),
            ["Accept: */*", "Range: bytes=0-9", "Accept-Encoding: gzip", sender])
    }

    func testAFieldWithoutAValueIsSent() throws {
        let empty = try XCTUnwrap(HTTPField.Name("X-Empty"))
        XCTAssertEqual(try lines([empty: ""])?.dropLast().last, "X-Empty:")
    }

    func testAUserAgentOfTheRequestIsSentAsAHeaderLine() throws {
        XCTAssertNil(try lines([.userAgent: "mine/2"]))
    }

    func testFieldsOfTheBodyAreLeftToLibcurl() throws {
        let fields: HTTPFields = [.contentType: "text/csv", .contentLength: "3", .expect: "100-continue"]
        XCTAssertEqual(
            try lines(fields, hasBody: true),
            ["/x HTTP/1.1", "Host: a.example:81"] + codings + ["Accept: */*", sender])
        XCTAssertEqual(
            try lines(fields)?.suffix(3), ["Content-Type: text/csv", "Expect: 100-continue", sender])
    }
}
