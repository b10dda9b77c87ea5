import XCTest

@testable import FreshetCurl

final class DataEndCheckTests: XCTestCase {
    private let samples = [
        ("deflate", CompressedSamples.zlib), ("deflate", CompressedSamples.deflate), ("br", CompressedSamples.brotli),
        ("zstd", CompressedSamples.zstd),
    ]

    func testTheEndOfTheDataIsReachedWithItsLastByte() throws {
        for (coding, bytes) in samples {
            for count in 0...bytes.count {
                let end = try end(of: coding, [bytes[..<count]])
                XCTAssertEqual(end, count == bytes.count ? .reached : .pending, "\(coding) \(count)")
            }
        }
    }

    func testTheBoundariesOfThePiecesDoNotAffectTheEnd() throws {
        for (coding, bytes) in samples {
            XCTAssertEqual(try end(of: coding, bytes.indices.map { bytes[$0...$0] }), .reached, coding)
            for cut in bytes.indices {
                XCTAssertEqual(try end(of: coding, [bytes[..<cut], bytes[cut...]]), .reached, "\(coding) \(cut)")
            }
        }
    }

    func testTheEndOfInvalidDataIsUnknown() throws {
        let noise = [UInt8](repeating: 0xFF, count: 64)
        for (coding, _) in samples { XCTAssertEqual(try end(of: coding, [noise[...]]), .unknown, coding) }
        // The data names a preset dictionary that the decoder does not have.
        XCTAssertEqual(try end(of: "deflate", [[0x78, 0x20, 1, 2, 3, 4]]), .unknown)
    }

    func testTheEndOfDataThatDecodesBeyondTheLimitIsUnknown() throws {
        for (coding, bytes) in samples where coding != "zstd" {
            XCTAssertEqual(try end(of: coding, [bytes.dropLast(2)], limit: 50), .unknown, coding)
            let size = CompressedSamples.text.utf8.count
            XCTAssertEqual(try end(of: coding, [bytes.dropLast(2)], limit: size), .pending, coding)
        }
    }

    func testBytesAfterTheEndDoNotAffectIt() throws {
        for (coding, bytes) in samples where coding != "zstd" {
            XCTAssertEqual(try end(of: coding, [bytes[...], [1, 2, 3]]), .reached, coding)
        }
    }

    func testOtherCodingsAreNotChecked() {
        XCTAssertNil(DataEndCheck("gzip"))
        XCTAssertNil(DataEndCheck("rot13"))
    }

    private func end(of coding: String, _ pieces: [ArraySlice<UInt8>], limit: Int = .max) throws -> DataEndCheck.End {
        var check = try XCTUnwrap(DataEndCheck(coding))
        for piece in pieces { piece.withUnsafeBytes { check.process($0, limit: limit) } }
        return check.end
    }
}
