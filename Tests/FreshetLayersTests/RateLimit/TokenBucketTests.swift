import FreshetCore
import XCTest

@testable import FreshetLayers

final class TokenBucketTests: XCTestCase {
    private func instant(_ milliseconds: Double) -> Instant { Instant(sinceStart: .seconds(milliseconds / 1000)) }

    /// Takes tokens for a second at a rate of 200, by a timer that comes 1.5 ms late each time.
    func testATimerThatComesLateDoesNotLowerTheRate() {
        var bucket = TokenBucket(rate: 200, burst: 1, at: instant(0))
        var (now, taken) = (0.0, 0)
        while now < 1000 {
            let wait = bucket.wait(at: instant(now))
            if wait > .zero {
                now += wait / .milliseconds(1) + 1.5
            } else {
                bucket.take()
                taken += 1
            }
        }
        XCTAssertEqual(Double(taken), 200, accuracy: 2)
    }

    func testAPauseIsNotFollowedByMoreThanTheBurst() {
        var bucket = TokenBucket(rate: 200, burst: 1, at: instant(0))
        bucket.take()
        XCTAssertEqual(bucket.wait(at: instant(0)), .milliseconds(5))
        // The one that waited left, and the next request comes a second later.
        expectABurstOfOne(of: &bucket, at: 1000)
    }

    func testTheLatenessOfATimerDoesNotLengthenALaterBurst() {
        var bucket = TokenBucket(rate: 400, burst: 1, at: instant(0))
        bucket.take()
        XCTAssertEqual(bucket.wait(at: instant(0)), .milliseconds(2.5))
        // Five tokens have come together, and one of them is taken.
        XCTAssertEqual(bucket.wait(at: instant(12.5)), .zero)
        bucket.take()
        bucket.endWait()
        expectABurstOfOne(of: &bucket, at: 13)
        expectABurstOfOne(of: &bucket, at: 1000)
    }

    func testAWaitThatWasLeftDoesNotLengthenALaterBurst() {
        var bucket = TokenBucket(rate: 1000, burst: 1, at: instant(0))
        bucket.take()
        XCTAssertEqual(bucket.wait(at: instant(0)), .milliseconds(1))
        bucket.endWait()
        expectABurstOfOne(of: &bucket, at: 20)
    }

    private func expectABurstOfOne(of bucket: inout TokenBucket, at time: Double) {
        XCTAssertEqual(bucket.wait(at: instant(time)), .zero)
        bucket.take()
        XCTAssertGreaterThan(bucket.wait(at: instant(time)), .zero)
        bucket.endWait()
    }
}
