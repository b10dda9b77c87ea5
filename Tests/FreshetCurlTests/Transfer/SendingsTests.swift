import CFreshetCurl
import XCTest

@testable import FreshetCurl

final class SendingsTests: XCTestCase {
    func testAGuardedRequestGoesOutAgainAsOftenAsTheServerMayRefuseIt() {
        var sendings = Sendings()
        sendings.begin(isGuarded: true)
        for number in 0...Sendings.refusalLimit {
            XCTAssertTrue(sendings.goesOut(isIdempotent: false), "sending \(number)")
        }
        XCTAssertFalse(sendings.goesOut(isIdempotent: false))
        XCTAssertTrue(sendings.areRefusedTooOften)
    }

    func testWithoutTheGuardOnlyAnIdempotentRequestGoesOutAgain() {
        var post = Sendings()
        post.begin(isGuarded: false)
        XCTAssertTrue(post.goesOut(isIdempotent: false))
        XCTAssertFalse(post.goesOut(isIdempotent: false))
        var get = Sendings()
        get.begin(isGuarded: false)
        XCTAssertTrue(get.goesOut(isIdempotent: true))
        XCTAssertTrue(get.goesOut(isIdempotent: true))
        XCTAssertFalse(get.goesOut(isIdempotent: true), "once is enough")
    }

    func testRefusalsOfLibcurlAndOursCountTogether() {
        var sendings = Sendings()
        for _ in 0..<Sendings.refusalLimit {
            sendings.begin(isGuarded: true)
            XCTAssertTrue(sendings.goesOut(isIdempotent: false))
            XCTAssertEqual(sendings.resendingRefused(), .anywhere)
        }
        XCTAssertNil(sendings.resendingRefused())
    }

    func testALostRequestGoesOutAgainOnce() {
        var sendings = Sendings()
        XCTAssertNil(sendings.resendingLost(after: CURLE_PEER_FAILED_VERIFICATION, sharesConnection: false))
        XCTAssertEqual(sendings.resendingLost(after: CURLE_RECV_ERROR, sharesConnection: false), .onNewConnection)
        XCTAssertNil(sendings.resendingLost(after: CURLE_RECV_ERROR, sharesConnection: false))
    }
}
