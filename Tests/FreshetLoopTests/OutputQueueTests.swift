import XCTest

@testable import FreshetLoop

final class OutputQueueTests: XCTestCase {
    func testShortPiecesAreJoinedAndLongOnesAreNotCopied() {
        var queue = OutputQueue()
        for byte in UInt8(0)..<10 { queue.append([byte]) }
        XCTAssertEqual(queue.count, 10)
        XCTAssertEqual(queue.popFirst(), Array(0..<10))
        let long = [UInt8](repeating: 7, count: 100_000)
        queue.append([1])
        queue.append(long)
        queue.append([])
        queue.append([2])
        XCTAssertEqual(queue.count, 100_002)
        XCTAssertEqual((0..<4).map { _ in queue.popFirst() }, [[1], long, [2], nil])
        XCTAssertEqual(queue.count, 0)
    }

    func testPiecesAreRemovedInOrder() {
        var queue = OutputQueue()
        let piece = 40_000
        for number in 0..<200 { queue.append([UInt8](repeating: UInt8(number), count: piece)) }
        for number in 0..<200 {
            XCTAssertEqual(queue.popFirst()?.first, UInt8(number))
            XCTAssertEqual(queue.count, (199 - number) * piece)
        }
        XCTAssertTrue(queue.isEmpty)
        XCTAssertNil(queue.popFirst())
    }
}
