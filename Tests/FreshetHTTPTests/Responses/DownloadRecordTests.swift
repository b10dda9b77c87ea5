import HTTPTypes
import XCTest

@testable import FreshetHTTP

/// Tests the parsing of files and fields that resuming a download needs.
final class DownloadRecordTests: XCTestCase {
    func testAContentRangeIsParsed() {
        XCTAssertEqual(ContentRange("bytes 0-4/5")?.bytes, 0...4)
        XCTAssertEqual(ContentRange("Bytes 5-9/*")?.bytes, 5...9)
        XCTAssertNil(ContentRange("bytes 5-9/*")?.total)
        XCTAssertEqual(ContentRange("bytes */7")?.total, 7)
        XCTAssertNil(ContentRange("bytes */7")?.bytes)
        for text in [
            "", "bytes", "bytes 0-4", "bytes 4-0/5", "bytes 0-5/5", "bytes */*", "bytes -4/5", "bytes 0-/5",
            "lines 0-4/5",
            "bytes 0-4/5/6", "bytes 0-4-5/6", "bytes=0-4/5", "bytes +0-4/5", "bytes 0-99999999999999999999/*",
            "bytes 0-4/99999999999999999999", "bytes 0 - 4/5",
        ] {
            XCTAssertNil(ContentRange(text), text)
        }
    }

    func testARandomContentRangeIsValidOrRefused() {
        let alphabet = Array("bytes 0123456789-/*")
        var random = Numbers(seed: 2)
        for _ in 0..<50_000 {
            var text = "bytes "
            for _ in 0..<random.next(below: 14) { text.append(alphabet[random.next(below: alphabet.count)]) }
            guard let range = ContentRange(text) else { continue }
            XCTAssertTrue(range.bytes != nil || range.total != nil, text)
            if let last = range.bytes?.upperBound, let total = range.total { XCTAssertLessThan(last, total, text) }
        }
    }

    func testARecordIsReadAsItWasWrittenAndAnotherIsRefused() {
        let records = [
            DownloadRecord(address: .max, validator: .tag("\"a b? é\""), total: nil),
            DownloadRecord(address: 1, validator: .tag("\"end\""), total: 12),
            DownloadRecord(address: 0, validator: .date("Sun, 06 Nov 1994 08:49:37 GMT"), total: 0),
        ].filter { DownloadRecord(text: $0.text) == $0 }
        XCTAssertEqual(records.count, 2, "a tag has no space")
        for record in records {
            let text = record.text
            for end in text.indices { XCTAssertNil(DownloadRecord(text: String(text[..<end])), "\(end)") }
        }
        var random = Numbers(seed: 9)
        let text = Array(records[0].text.utf8)
        for _ in 0..<20_000 {
            var bytes = text
            for _ in 0..<random.next(below: 3) + 1 {
                bytes[random.next(below: bytes.count)] = UInt8(random.next(below: 256))
            }
            guard let read = DownloadRecord(text: String(decoding: bytes, as: UTF8.self)) else { continue }
            XCTAssertEqual(DownloadRecord(text: read.text), read)
            XCTAssertFalse(read.validator.field.utf8.contains { $0 < 0x20 })
        }
    }
}
