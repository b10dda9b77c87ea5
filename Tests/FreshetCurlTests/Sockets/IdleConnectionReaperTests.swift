import XCTest

@testable import FreshetCurl

final class IdleConnectionReaperTests: XCTestCase {
    func testTheFirstCheckComesOneSecondAfterTheShorterLimit() {
        var pool = CurlTransport.Configuration.Pool()
        pool.idleTimeout = .milliseconds(2500)
        XCTAssertEqual(pool.firstInterval, .seconds(4))
        pool.maximumAge = .seconds(2)
        XCTAssertEqual(pool.firstInterval, .seconds(3))
    }

    func testTheLongestTimesAreShortenedToWhatLibcurlCounts() {
        var pool = CurlTransport.Configuration.Pool()
        for longest in [Duration.seconds(Int64.max), .seconds(Int64.max) + .milliseconds(500)] {
            (pool.idleTimeout, pool.maximumAge) = (longest, longest)
            XCTAssertGreaterThan(pool.firstInterval, .seconds(1 << 30))
            XCTAssertLessThan(pool.firstInterval, .seconds(Int32.max))
        }
    }
}
