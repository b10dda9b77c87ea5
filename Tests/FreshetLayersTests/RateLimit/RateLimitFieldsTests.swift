import FreshetCore
import FreshetHTTP
import HTTPTypes
import XCTest

@testable import FreshetLayers

final class RateLimitFieldsTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    private func fields(_ lines: KeyValuePairs<String, String>, at now: Double = 0) -> RateLimitFields {
        RateLimitFields(
            HTTPFields(lines.map { HTTPField(name: HTTPField.Name($0.key)!, value: $0.value) }), at: now)
    }

    /// It blocked all requests for an hour.
    func testAResetInMillisecondsIsReadAsOne() {
        let limit = fields(
            ["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1700000005000"], at: 1_700_000_000)
        XCTAssertEqual(limit.reset, 5)
    }

    func testOfTwoOpenLimitsTheOneWithFewerRemainingRequestsCounts() {
        let pairs: [KeyValuePairs<String, String>] = [
            [
                "x-ratelimit-remaining-requests": "1", "x-ratelimit-reset-requests": "60s",
                "x-ratelimit-remaining-tokens": "100000", "x-ratelimit-reset-tokens": "61s",
            ],
            [
                "x-ratelimit-remaining-requests": "100000", "x-ratelimit-reset-requests": "61s",
                "x-ratelimit-remaining-tokens": "1", "x-ratelimit-reset-tokens": "60s",
            ],
        ]
        for pair in pairs { XCTAssertEqual(fields(pair).remaining, 1) }
    }

    func testOfTwoExhaustedLimitsTheOneWithTheLaterResetCounts() {
        let limit = fields([
            "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "60s",
            "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "61s",
        ])
        XCTAssertEqual(limit.reset, 61)
    }

    /// Many servers send the form of the seventh draft, in which the field is one dictionary.
    func testTheRateLimitOfTheSeventhDraftIsRead() {
        let limit = fields(["RateLimit": "limit=100, remaining=0, reset=60", "RateLimit-Policy": "100;w=60"])
        XCTAssertEqual([limit.limit, limit.remaining], [100, 0])
        XCTAssertEqual(limit.reset, 60)
        XCTAssertNil(fields(["RateLimit": "limit=100, remaining=0"]).remaining)
        let late = fields(["RateLimit": "limit=100, remaining=0, reset=1700000060"], at: 1_700_000_000)
        XCTAssertEqual(late.reset, 60, "a time, which blocked all requests for an hour")
    }
}
