import XCTest

@testable import FreshetHTTP

final class DownloadStateTests: XCTestCase {
    func testManySmallPiecesWaitAsFewLargeOnes() {
        var state = DownloadState(resumesLeft: 0)
        for number in 0..<100_000 { state.append([UInt8(truncatingIfNeeded: number)]) }
        state.append([UInt8](repeating: 1, count: 100_000))
        state.append([2])
        XCTAssertLessThan(state.waiting.count, 6)
        XCTAssertEqual(state.waitingSize, 200_001)
        XCTAssertEqual(state.progress.received, 200_001)
        let bytes = Array(state.waiting.joined())
        XCTAssertEqual(bytes.count, 200_001)
        XCTAssertEqual(bytes[..<100_000], (0..<100_000).map { UInt8(truncatingIfNeeded: $0) }[...])
        XCTAssertEqual(bytes.last, 2)
    }
}
