import FreshetCore
import XCTest

@testable import FreshetAuth

/// Tests that the memory of a gate does not grow with its age.
final class RefreshHistoryTests: XCTestCase {
    // Alamofire's code: the times of its refreshes are kept for ever.
    func testTheTimesOfRefreshesAreDroppedAfterTheWindow() throws {
        var machine = RefreshStateMachine()
        var stored = StoredCredential(credential: Credential(accessToken: "a", refreshToken: "r"), version: 1)
        for number in 1...1000 {
            let now = Timestamp(wall: 0, monotonic: Instant(sinceStart: .seconds(10 * number)))
            var inputs: [RefreshStateMachine.Input] = [.requested(waiter: number, replacing: stored.version)]
            while !inputs.isEmpty {
                for action in machine.apply(inputs.removeFirst(), at: now) {
                    switch action {
                    case .peek(let id): inputs.append(.peeked(id, stored))
                    case .begin(let id): inputs.append(.began(id))
                    case .open(let id): inputs.append(.opened(id, .found(stored)))
                    case .refresh(let id, let old):
                        inputs.append(.responded(id, .credential(try XCTUnwrap(old))))
                    case .persist(let id, let record):
                        stored = record
                        inputs.append(.persisted(id, nil))
                    default: break
                    }
                }
            }
        }
        XCTAssertEqual(stored.version, 1001)
        let times = Mirror(reflecting: machine).descendant("refreshTimes") as? [Instant]
        XCTAssertLessThanOrEqual(try XCTUnwrap(times).count, 5)
    }
}
