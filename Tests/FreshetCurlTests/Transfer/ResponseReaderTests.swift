import FreshetHTTP
import HTTPTypes
import XCTest

@testable import FreshetCurl

final class ResponseReaderTests: XCTestCase {
    func testABodyWithALengthIsCompleteWhenAllOfItHasArrived() {
        var reader = reader("HTTP/1.1 200 OK", "Content-Length: 3")
        XCTAssertEqual(receive("ab", &reader), "more")
        XCTAssertFalse(reader.isWhole)
        XCTAssertEqual(reader.shortfall(isCutOff: false)?.0, .connectionLost)
        XCTAssertEqual(receive("c", &reader), "last")
        XCTAssertTrue(reader.isWhole)
        XCTAssertNil(reader.shortfall(isCutOff: false))
    }

    func testAnEndBeforeAnyByteIsNoEndWithinTheHead() {
        var reader = ResponseReader(TransferOptions())
        XCTAssertEqual(reader.shortfall(isCutOff: false)?.1, "the connection ended before a response began")
        _ = Array("HTTP/1.1 200 OK\r\n".utf8).withUnsafeBytes { reader.receive(lines: $0, nil) }
        XCTAssertEqual(reader.shortfall(isCutOff: false)?.1, "the connection ended within the head of the response")
    }

    func testAForgottenHeadHasNoStatus() {
        var reader = reader("HTTP/1.1 200 OK")
        XCTAssertEqual(reader.status, 200)
        reader.forgetHead()
        XCTAssertEqual(reader.status, 0)
    }

    func testABodyInOnePieceWithItsHeadEndsWithTheHead() {
        var reader = reader("HTTP/1.1 200 OK", "Content-Length: 3")
        _ = receive("abc", &reader)
        XCTAssertEqual(reader.bodyEnd, .withHead)
        var pieces = self.reader("HTTP/1.1 200 OK", "Content-Length: 3")
        _ = receive("ab", &pieces)
        _ = receive("c", &pieces)
        XCTAssertEqual(pieces.bodyEnd, .separate)
    }

    func testTheEndOfTheConnectionEndsABodyWithoutALength() {
        let reader = reader("HTTP/1.1 200 OK")
        XCTAssertTrue(reader.isEndedByConnection)
        XCTAssertNil(reader.shortfall(isCutOff: false))
        XCTAssertEqual(reader.shortfall(isCutOff: true)?.0, .connectionLost, "TLS did not say that it ended")
    }

    func testAResponseToHEADAndA304HaveNoBodyWhateverTheirFields() {
        XCTAssertTrue(reader("HTTP/1.1 200 OK", "Content-Length: 3", isForHead: true).isWhole)
        XCTAssertTrue(reader("HTTP/1.1 304 Not Modified", "Content-Length: 3").isWhole)
    }

    func testABodyWithTheTransferCodingIdentityEndsWithItsLength() {
        var reader = reader("HTTP/1.1 200 OK", "Transfer-Encoding: identity", "Content-Length: 3")
        XCTAssertEqual(receive("abcd", &reader), "last before 1")
        XCTAssertTrue(reader.isWhole)
    }

    func testAnUnknownTransferCodingIsAnErrorOfTheHead() {
        var reader = ResponseReader(TransferOptions())
        XCTAssertEqual(begin(&reader, ["HTTP/1.1 200 OK", "Transfer-Encoding: rot13"])?.0, .protocol)
    }

    func testALengthOverTheLimitIsAnErrorOfTheHead() {
        var options = TransferOptions()
        options.maximumBodySize = 2
        var reader = ResponseReader(options)
        XCTAssertEqual(begin(&reader, ["HTTP/1.1 200 OK", "Content-Length: 3"])?.0, .tooLarge)
    }

    func testTheFieldsOfADecodedBodyAreRemovedFromItsHead() {
        var reader = ResponseReader(TransferOptions())
        var fields = HTTPFields()
        _ = begin(&reader, ["HTTP/1.1 200 OK", "Content-Encoding: gzip", "Content-Length: 30"]) { fields = $0 }
        XCTAssertEqual(fields, [:])
        XCTAssertNotNil(reader.coded)
        XCTAssertEqual(reader.contentLength, 30, "for what comes on the wire it holds")
    }

    // MARK: Helpers

    private func reader(_ lines: String..., isForHead: Bool = false) -> ResponseReader {
        var reader = ResponseReader(TransferOptions())
        XCTAssertNil(begin(&reader, lines, isForHead: isForHead))
        return reader
    }

    private func begin(
        _ reader: inout ResponseReader, _ lines: [String], isForHead: Bool = false,
        then look: (HTTPFields) -> Void = { _ in }
    ) -> ResponseReader.Problem? {
        for line in lines + [""] {
            let output = Array((line + "\r\n").utf8).withUnsafeBytes { reader.receive(lines: $0, nil) }
            guard case .head(var head, let info) = output else { continue }
            let problem = reader.begin(
                &head, info, isForHead: isForHead, decodes: true, in: 1)
            look(head.headerFields)
            return problem
        }
        XCTFail("the head did not end")
        return nil
    }

    private func receive(_ text: String, _ reader: inout ResponseReader) -> String {
        switch Array(text.utf8).withUnsafeBytes({ reader.receive(body: $0, in: 1) }) {
        case .more: "more"
        case .last: "last"
        case .lastBeforeSurplus(let count): "last before \(count)"
        case .tooMuch: "too much"
        }
    }
}
