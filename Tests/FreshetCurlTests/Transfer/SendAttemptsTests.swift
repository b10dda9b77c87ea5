import CFreshetCurl
import XCTest

@testable import FreshetCurl

final class SendAttemptsTests: XCTestCase {
    func testAGuardedRequestIsResentUpToTheRefusalLimit() {
        var sendAttempts = SendAttempts()
        sendAttempts.begin(isGuarded: true)
        for number in 0...SendAttempts.refusalLimit {
            XCTAssertTrue(sendAttempts.requestSent(isIdempotent: false), "sending \(number)")
        }
        XCTAssertFalse(sendAttempts.requestSent(isIdempotent: false))
        XCTAssertTrue(sendAttempts.areRefusedTooOften)
        XCTAssertEqual(sendAttempts.reportedRefusals, SendAttempts.refusalLimit + 1)
    }

    func testWithoutTheGuardOnlyAnIdempotentRequestIsResent() {
        var post = SendAttempts()
        post.begin(isGuarded: false)
        XCTAssertTrue(post.requestSent(isIdempotent: false))
        XCTAssertFalse(post.requestSent(isIdempotent: false))
        var get = SendAttempts()
        get.begin(isGuarded: false)
        XCTAssertTrue(get.requestSent(isIdempotent: true))
        XCTAssertTrue(get.requestSent(isIdempotent: true))
        XCTAssertFalse(get.requestSent(isIdempotent: true), "once is enough")
    }

    func testAOneShotRequestIsSentOnce() {
        for isGuarded in [true, false] {
            var sendAttempts = SendAttempts()
            sendAttempts.begin(isGuarded: isGuarded)
            XCTAssertTrue(sendAttempts.requestSent(isIdempotent: true, isResendable: false))
            XCTAssertFalse(sendAttempts.requestSent(isIdempotent: true, isResendable: false))
            XCTAssertEqual(sendAttempts.count, 1)
        }
    }

    func testRefusalsCountedByLibcurlAndByTheClientShareOneLimit() {
        var sendAttempts = SendAttempts()
        for _ in 0..<SendAttempts.refusalLimit {
            sendAttempts.begin(isGuarded: true)
            XCTAssertTrue(sendAttempts.requestSent(isIdempotent: false))
            XCTAssertEqual(sendAttempts.resendingRefused(), .anywhere)
        }
        XCTAssertNil(sendAttempts.resendingRefused())
        XCTAssertEqual(sendAttempts.reportedRefusals, SendAttempts.refusalLimit + 1, "each refusal counts")
    }

    func testALostRequestIsResentOnce() {
        var sendAttempts = SendAttempts()
        XCTAssertNil(sendAttempts.resendingLost(after: CURLE_PEER_FAILED_VERIFICATION))
        XCTAssertEqual(sendAttempts.resendingLost(after: CURLE_RECV_ERROR), .onNewConnection)
        XCTAssertNil(sendAttempts.resendingLost(after: CURLE_RECV_ERROR))
    }
}
