import FreshetHTTP
import HTTPTypes
import XCTest

@testable import FreshetCurl

final class CodedBodyTests: XCTestCase {
    func testTheCodingOfABodyIsReadFromItsHead() {
        let none = BodyCoding([.contentEncoding: "identity"])
        XCTAssertTrue(none.isStated)
        XCTAssertFalse(none.isContentCoded)
        let two = BodyCoding([.contentEncoding: "ZSTD , GZip,", .transferEncoding: "chunked"])
        XCTAssertEqual(two.count, 2)
        XCTAssertEqual(two.last, "gzip")
        XCTAssertTrue(two.isChunked)
        XCTAssertFalse(two.isTransferCoded)
        XCTAssertFalse(BodyCoding([.transferEncoding: "rot13, chunked"]).isTransferKnown)
        XCTAssertTrue(BodyCoding([.transferEncoding: "identity"]).isTransferIdentity)
    }

    func testABodyIsCompleteOnceItsDataIs() {
        let samples = [
            ("deflate", CompressedSamples.zlib), ("br", CompressedSamples.brotli), ("zstd", CompressedSamples.zstd),
        ]
        for (coding, bytes) in samples {
            XCTAssertTrue(body(coding, bytes).isWhole(decoded: 10), coding)
            XCTAssertFalse(body(coding, Array(bytes.dropLast())).isWhole(decoded: 10), coding)
        }
    }

    func testGzipEndsWithTheDecodedLength() {
        let bytes = [UInt8](repeating: 1, count: 14) + [0x10, 0x27, 0, 0]
        XCTAssertTrue(body("gzip", bytes).isWhole(decoded: 10_000))
        XCTAssertFalse(body("gzip", bytes).isWhole(decoded: 9_999))
        XCTAssertTrue(body("gzip", bytes).isWhole(decoded: 10_000 + 1 << 32))
    }

    func testThePartsOfAGzipHeaderAreNoWholeBody() {
        let empty: [UInt8] = [31, 139, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        for count in 1..<18 { XCTAssertFalse(body("gzip", Array(empty.prefix(count))).isWhole(decoded: 0), "\(count)") }
        XCTAssertTrue(body("gzip", empty).isWhole(decoded: 0))
    }

    func testBytesAreCountedWithAndWithoutChunkFraming() {
        let fields: HTTPFields = [.contentEncoding: "gzip", .transferEncoding: "chunked"]
        var body = CodedBody(BodyCoding(fields), length: nil, maximumRatio: nil)
        for byte in "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n".utf8 { withUnsafeBytes(of: byte) { body.process($0) } }
        XCTAssertEqual(body.size, 5)
        XCTAssertEqual(body.wireSize, 20)
    }

    func testChunkedDataIsFoundWhereLibcurlHasRemovedTheFrames() {
        let samples = [
            ("deflate", CompressedSamples.zlib), ("br", CompressedSamples.brotli), ("zstd", CompressedSamples.zstd),
            ("br", Array("ab".utf8) + CompressedSamples.brotli), ("br", Array("0123456789abcdef0123".utf8)),
        ]
        for (coding, bytes) in samples {
            for step in [1, 2, bytes.count] {
                var frames = ChunkedFrames(mayBeRemoved: true)
                var data: [UInt8] = []
                for start in stride(from: 0, to: bytes.count, by: step) {
                    let piece = Array(bytes[start..<min(start + step, bytes.count)])
                    piece.withUnsafeBytes { frames.process($0) { data += $0 } }
                }
                XCTAssertEqual(data, bytes, "\(coding) in pieces of \(step)")
            }
        }
    }

    func testFramesAreMissingOnlyWhereLibcurlMayRemoveThem() {
        let fields: HTTPFields = [.contentEncoding: "br", .transferEncoding: "chunked"]
        var body = CodedBody(BodyCoding(fields), length: nil, maximumRatio: nil)
        Array("no frames".utf8).withUnsafeBytes { body.process($0) }
        XCTAssertEqual(body.size, RemovedChunkFrames.arePossible ? 9 : 0)
    }

    func testADecodedBodyMayExceedItsSizeByTheRatioFromAThreshold() {
        let fields: HTTPFields = [.contentEncoding: "gzip"]
        var body = CodedBody(BodyCoding(fields), length: nil, maximumRatio: 200)
        XCTAssertEqual(body.allowance, TransferOptions.decodingRatioThreshold)
        [UInt8](repeating: 0, count: 1 << 20).withUnsafeBytes { body.process($0) }
        XCTAssertEqual(body.allowance, 200 << 20)
    }

    private func body(_ coding: String, _ bytes: [UInt8]) -> CodedBody {
        let coding = BodyCoding([.contentEncoding: coding])
        var body = CodedBody(coding, length: nil, maximumRatio: 200)
        bytes.withUnsafeBytes { body.process($0) }
        return body
    }
}
