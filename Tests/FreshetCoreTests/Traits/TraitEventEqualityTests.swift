import FreshetCore
import XCTest

final class TraitEventEqualityTests: CoreTestCase {
    func testMaybeEventsAreComparedByTheirContent() {
        XCTAssertEqual([MaybeEvent.success(1), .completed], [.success(1), .completed])
        XCTAssertNotEqual(MaybeEvent.success(1), .success(2))
        XCTAssertNotEqual(MaybeEvent.success(1), .completed)
        XCTAssertEqual(MaybeEvent<Int>.error(Fault.first), .error(Fault.first))
        XCTAssertNotEqual(MaybeEvent<Int>.error(Fault.first), .error(Fault.second))
    }

    func testCompletableEventsAreComparedByTheirContent() {
        XCTAssertEqual([CompletableEvent.completed, .error(Fault.first)], [.completed, .error(Fault.first)])
        XCTAssertNotEqual(CompletableEvent.completed, .error(Fault.first))
        XCTAssertNotEqual(CompletableEvent.error(Fault.second), .error(Fault.first))
    }

    func testInfallibleEventsAreComparedByTheirContent() {
        XCTAssertEqual([InfallibleEvent.next(1), .completed], [.next(1), .completed])
        XCTAssertNotEqual(InfallibleEvent.next(1), .next(2))
    }
}
