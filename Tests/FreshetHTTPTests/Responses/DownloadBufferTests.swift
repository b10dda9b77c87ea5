import XCTest

@testable import FreshetHTTP

final class DownloadBufferTests: XCTestCase {
    func testManySmallPiecesWaitAsFewLargeOnes() {
        var buffer = DownloadBuffer()
        for number in 0..<100_000 { buffer.append([UInt8(truncatingIfNeeded: number)]) }
        buffer.append([UInt8](repeating: 1, count: 100_000))
        buffer.append([2])
        XCTAssertLessThan(buffer.pieces.count, 6)
        XCTAssertEqual(buffer.size, 200_001)
        let bytes = Array(buffer.pieces.joined())
        XCTAssertEqual(bytes.count, 200_001)
        XCTAssertEqual(bytes[..<100_000], (0..<100_000).map { UInt8(truncatingIfNeeded: $0) }[...])
        XCTAssertEqual(bytes.last, 2)
    }
}
