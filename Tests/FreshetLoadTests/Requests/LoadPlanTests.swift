import XCTest

@testable import FreshetLoad

final class LoadPlanTests: XCTestCase {
    func testLanesShareTheRequestsAndTheConcurrency() {
        let plan = LoadPlan(requests: 10, duration: .seconds(3), concurrency: 7, rate: 90)
        let shares = (0..<3).map { plan.share($0, of: 3) }
        XCTAssertEqual(shares.map(\.requests), [4, 3, 3])
        XCTAssertEqual(shares.map(\.concurrency), [3, 2, 2])
        XCTAssertEqual(shares.map(\.rate), [30, 30, 30])
        XCTAssertEqual(shares.map(\.duration), [.seconds(3), .seconds(3), .seconds(3)])
    }

    func testASecondAtARateOfTenHasTenRequests() {
        let schedule = LoadSchedule(rate: 10, requests: nil, duration: .seconds(1))
        XCTAssertEqual(schedule.count, 10)
        XCTAssertEqual(schedule.time(of: 0), .zero)
        XCTAssertEqual(schedule.time(of: 9), .milliseconds(900))
        XCTAssertEqual(schedule.due(at: .zero), 1)
        XCTAssertEqual(schedule.due(at: .milliseconds(99)), 1)
        XCTAssertEqual(schedule.due(at: .milliseconds(100)), 2)
        XCTAssertEqual(schedule.due(at: .seconds(60)), 10)
    }

    func testTheLimitThatIsReachedFirstEndsTheSchedule() {
        XCTAssertEqual(LoadSchedule(rate: 10, requests: 4, duration: .seconds(1)).count, 4)
        XCTAssertNil(LoadSchedule(rate: 10, requests: 4, duration: .seconds(1)).duration)
        XCTAssertEqual(LoadSchedule(rate: 10, requests: 400, duration: .seconds(1)).duration, .seconds(1))
        XCTAssertEqual(LoadSchedule(rate: 10, requests: 400, duration: .seconds(1)).count, 10)
        XCTAssertEqual(LoadSchedule(rate: 0.5, requests: nil, duration: .seconds(1)).count, 1)
    }

    func testEachRequestIsScheduledAtItsDueTime() {
        for rate in [0.3, 7, 333, 1000, 48_123.7] {
            let schedule = LoadSchedule(rate: rate, requests: 500, duration: nil, offset: 0.5)
            for index in [0, 1, 2, 17, 499] {
                let time = schedule.time(of: index)
                XCTAssertEqual(schedule.due(at: time + .nanoseconds(1)), index + 1, "\(rate), \(index)")
                XCTAssertEqual(schedule.due(at: time - .microseconds(1)), index, "\(rate), \(index)")
            }
        }
    }

    func testARequestAfterTheEndOfTimeIsNeverDue() {
        for rate in [0, 1e-300, 1e-11] {
            let schedule = LoadSchedule(rate: rate, requests: 2, duration: nil)
            XCTAssertEqual(schedule.time(of: 0), .zero)
            XCTAssertGreaterThan(schedule.time(of: 1), .seconds(5e9))
            XCTAssertEqual(schedule.due(at: .seconds(5e9)), 1)
        }
        XCTAssertEqual(Duration.seconds(1e15).wholeNanoseconds, Duration.seconds(1e16).wholeNanoseconds)
    }

    func testAnEndlessDurationHasEndlessRequests() {
        XCTAssertEqual(LoadSchedule(rate: 1e6, requests: nil, duration: .seconds(1e14)).count, .max)
        XCTAssertEqual(LoadSchedule(rate: 1e300, requests: 7, duration: nil).due(at: .seconds(1)), 7)
    }

    func testTheSchedulesOfManyLanesInterleave() {
        let lanes = (0..<4).map {
            LoadSchedule(rate: 25, requests: nil, duration: .seconds(2), offset: Double($0) / 4)
        }
        XCTAssertEqual(lanes.map(\.count).reduce(0, +), 200)
        XCTAssertEqual(
            lanes.map { $0.time(of: 1) }, [.milliseconds(40), .milliseconds(50), .milliseconds(60), .milliseconds(70)])
    }
}
