import FreshetHTTP
import HTTPTypes
import XCTest

final class TextTests: XCTestCase {
    private func response(_ body: [UInt8], _ type: String? = nil) throws -> Response {
        var head = HTTPResponse(status: .ok)
        if let type { head.headerFields[.contentType] = type }
        return Response(head: head, body: body, url: try RequestURL("http://a/"))
    }

    private func text(_ body: [UInt8], _ charset: String? = nil) throws -> String {
        let response = try response(body, charset.map { "text/plain; charset=\($0)" })
        let strict = try response.decodedText()
        XCTAssertEqual(response.text, strict)
        return strict
    }

    func testTextIsDecodedWithTheNamedCharset() throws {
        XCTAssertEqual(try text(Array("grün".utf8)), "grün")
        XCTAssertEqual(try text(Array("grün".utf8), "UTF-8"), "grün")
        XCTAssertEqual(try text(Array("grün".utf8), "\"utf8\""), "grün")
        for label in ["iso-8859-1", "ISO-8859-1", "latin1", "windows-1252", "us-ascii", "cp1252"] {
            XCTAssertEqual(try text([0x67, 0x72, 0xFC, 0x6E, 0x20, 0x80, 0x93], label), "grün €\u{201C}", label)
        }
        XCTAssertEqual(try text([0x67, 0, 0xFC, 0, 0x3D, 0xD8, 0, 0xDE], "utf-16"), "gü😀")
        XCTAssertEqual(try text([0x67, 0, 0xFC, 0], "utf-16le"), "gü")
        XCTAssertEqual(try text([0, 0x67, 0, 0xFC], "utf-16be"), "gü")
    }

    func testAByteOrderMarkOverridesTheCharset() throws {
        XCTAssertEqual(try text([0xEF, 0xBB, 0xBF, 0xC3, 0xBC], "latin1"), "ü")
        XCTAssertEqual(try text([0xFE, 0xFF, 0, 0xFC], "utf-16le"), "ü")
        XCTAssertEqual(try text([0xFF, 0xFE, 0xFC, 0]), "ü")
        XCTAssertEqual(try text([0xEF, 0xBB, 0xBF]), "")
        XCTAssertEqual(try text([]), "")
    }

    func testInvalidTextIsReplacedOrRefused() throws {
        for (bytes, type) in [
            ([UInt8]([0x61, 0xFF, 0x62]), "text/plain"), ([0x61, 0, 0x62], "text/plain; charset=utf-16"),
        ] {
            let broken = try response(bytes, type)
            XCTAssertTrue(broken.text.contains("\u{FFFD}"))
            XCTAssertThrowsError(try broken.decodedText()) { error in
                XCTAssertEqual((error as? HTTPClientError)?.code, .decoding)
                XCTAssertNotNil((error as? HTTPClientError)?.response)
            }
        }
    }

    func testABodyThatIsStillCompressedSaysWhatToLeaveOut() throws {
        var compressed = try response([0x1F, 0x8B, 0xFF])
        compressed.head.headerFields[.contentEncoding] = "gzip"
        for read in [{ _ = try compressed.decodedText() }, { _ = try compressed.decoded(Int.self) }] {
            XCTAssertThrowsError(try read()) { error in
                XCTAssertEqual((error as? HTTPClientError)?.recoverySuggestion, .leaveOutAcceptEncoding)
            }
        }
    }

    func testAnUnknownCharsetIsAnErrorOrUTF8() throws {
        let strange = try response(Array("grün".utf8), "text/plain; charset=ebcdic")
        XCTAssertEqual(strange.text, "grün")
        XCTAssertThrowsError(try strange.decodedText()) { XCTAssertEqual(($0 as? HTTPClientError)?.code, .decoding) }
    }

    func testEveryByteOfWindows1252IsADistinctCharacter() {
        let all = Charset.windows1252.decode((UInt8.min...UInt8.max).map { $0 })
        XCTAssertEqual(Set(all.unicodeScalars).count, 256)
        XCTAssertEqual(all.unicodeScalars.filter { $0.value == 0x20AC }.count, 1)
    }
}
