import FreshetCrypto
import XCTest

final class SealedBoxTests: XCTestCase {
    private let key = [UInt8](repeating: 7, count: 32)

    func testAMessageIsOpenedByItsKeyAndHeaderOnly() throws {
        for length in [0, 1, 1000] {
            let message = [UInt8](repeating: 1, count: length)
            let box = try SealedBox.seal(message, with: key, header: [9])
            XCTAssertEqual(box.count, length + SealedBox.overhead)
            XCTAssertEqual(try SealedBox.open(box, with: key, header: [9]), message)
            XCTAssertThrowsError(try SealedBox.open(box, with: key, header: [8]))
            XCTAssertThrowsError(try SealedBox.open(box, with: [UInt8](repeating: 6, count: 32), header: [9]))
        }
    }

    func testNoTwoBoxesAreEqual() throws {
        let boxes = try (0..<50).map { _ in try SealedBox.seal([1], with: key, header: []) }
        XCTAssertEqual(Set(boxes.map { $0.prefix(12) }).count, 50)
    }

    /// confluentinc/cli PR#1744: lengths that were not checked crashed a command.
    func testEveryChangeAndEveryTruncationIsDetected() throws {
        let box = try SealedBox.seal([1, 2, 3], with: key, header: [])
        for length in 0..<box.count {
            XCTAssertThrowsError(try SealedBox.open(Array(box[..<length]), with: key, header: []))
        }
        for index in box.indices {
            var changed = box
            changed[index] ^= 1
            XCTAssertThrowsError(try SealedBox.open(changed, with: key, header: []))
        }
        XCTAssertThrowsError(try SealedBox.seal([1], with: [1], header: []))
    }

    func testBase64URLContainsNoPaddingAndNoOtherCharacter() {
        XCTAssertEqual(Base64URL.encoded([0xFB, 0xFF]), "-_8")
        XCTAssertEqual(Base64URL.decoded("-_8"), [0xFB, 0xFF])
        XCTAssertEqual(Base64URL.decoded(""), [])
        for text in ["-_8=", "+/8", "a", "a b", "é"] { XCTAssertNil(Base64URL.decoded(text), text) }
        XCTAssertEqual(SecureRandom.text(32).count, 43)
        XCTAssertEqual(SecureRandom.bytes(0), [])
        for count in 1...20 {
            let bytes = SecureRandom.bytes(count)
            XCTAssertEqual(Base64URL.decoded(Base64URL.encoded(bytes)), bytes)
        }
    }
}
