import XCTest

@testable import FreshetCurl

/// The memory of bodies that are collected: how much is asked for, and what is used again.
final class WholeBodyTests: XCTestCase {
    private let megabyte = 1 << 20

    private func take(_ count: Int, into whole: inout WholeBody) -> Bool {
        [UInt8](repeating: 1, count: count).withUnsafeBytes { whole.take($0) }
    }

    /// One that has been written to, as those have that are kept.
    private func body(_ capacity: Int, of byte: UInt8 = 1) -> [UInt8] {
        var body: [UInt8] = []
        body.reserveCapacity(capacity)
        body.append(byte)
        return body
    }

    private func address(_ body: [UInt8]) -> UnsafeRawPointer? { body.withUnsafeBytes { $0.baseAddress } }

    func testAsMuchAsIsAllowedIsTakenAndNothingOfWhatExceedsIt() {
        var kept = KeptBodies()
        var whole = WholeBody(limit: 1000, length: nil, from: &kept)
        XCTAssertTrue(take(600, into: &whole))
        XCTAssertFalse(take(401, into: &whole))
        XCTAssertEqual(whole.bytes.count, 600)
        XCTAssertTrue(take(400, into: &whole))
        XCTAssertEqual(whole.bytes.count, 1000)
    }

    func testALengthThatIsOnlySaidTakesNoMoreRoomThanAFewTimesWhatHasCome() {
        var kept = KeptBodies()
        var whole = WholeBody(limit: .max, length: 1 << 62, from: &kept)
        XCTAssertLessThanOrEqual(whole.bytes.capacity, 2 * megabyte)
        for _ in 0..<3 { XCTAssertTrue(take(megabyte, into: &whole)) }
        XCTAssertLessThanOrEqual(whole.bytes.capacity, 16 * megabyte)
    }

    func testABodyOfTheLengthThatIsSaidIsNotMovedToMoreRoomThanThat() {
        var kept = KeptBodies()
        var whole = WholeBody(limit: .max, length: 3 * megabyte, from: &kept)
        for _ in 0..<3 { XCTAssertTrue(take(megabyte, into: &whole)) }
        XCTAssertLessThan(whole.bytes.capacity, 4 * megabyte)
    }

    func testMemoryThatNobodyHoldsIsUsedAgainAndEmpty() {
        var kept = KeptBodies()
        var first = body(megabyte)
        let place = address(first)
        kept.keep(first)
        first = []
        var second = kept.take(megabyte)
        XCTAssertEqual(second.count, 0)
        XCTAssertEqual(kept.size, 0)
        second.append(2)
        XCTAssertEqual(address(second), place)
    }

    func testMemoryThatSomebodyHoldsIsLeftAsItIs() {
        var kept = KeptBodies()
        let first = body(megabyte, of: 1)
        kept.keep(first)
        var second = kept.take(megabyte)
        second.append(2)
        XCTAssertNotEqual(address(second), address(first))
        XCTAssertEqual(first, [1])
    }

    func testMemoryOfMoreThanTwiceTheSizeIsLeftForOthers() {
        var kept = KeptBodies()
        kept.keep(body(5 * megabyte))
        XCTAssertLessThan(kept.take(2 * megabyte).capacity, 4 * megabyte)
        XCTAssertGreaterThan(kept.size, 0)
        XCTAssertGreaterThanOrEqual(kept.take(3 * megabyte).capacity, 5 * megabyte)
        XCTAssertEqual(kept.size, 0)
    }

    func testNoMoreIsKeptThanThereIsRoomForAndTheOldestGoesFirst() {
        var kept = KeptBodies()
        kept.keep(body(5 * megabyte))
        for _ in 0..<20 { kept.keep(body(megabyte)) }
        XCTAssertGreaterThan(kept.size, 5 * megabyte)
        XCTAssertLessThanOrEqual(kept.size, 8 * megabyte)
        XCTAssertLessThan(kept.take(3 * megabyte).capacity, 5 * megabyte)
        kept.keep(body(9 * megabyte))
        XCTAssertLessThanOrEqual(kept.size, 8 * megabyte)
        kept.clear()
        XCTAssertEqual(kept.size, 0)
    }

    func testWhatTheAllocatorKeepsItselfIsNotKept() {
        var kept = KeptBodies()
        kept.keep(body(1000))
        XCTAssertEqual(kept.size, 0)
    }
}
