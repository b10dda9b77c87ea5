import FreshetCore
import HTTPTypes
import XCTest

@testable import FreshetHTTP

final class PhaseClockTests: XCTestCase {
    private func instant(_ milliseconds: Int) -> Instant {
        Instant(sinceStart: .milliseconds(milliseconds))
    }

    private func timings(_ url: String, _ steps: (inout PhaseClock) -> Void) throws -> RequestTimings {
        var clock = PhaseClock(start: instant(0))
        clock.queue(isSecure: try RequestURL(url).isSecure, at: self.instant(0))
        steps(&clock)
        return clock.end(attempts: 1, at: instant(1000))
    }

    func testTheTimingsOfANewConnectionCoverAllPhases() throws {
        let timings = try timings("https://a/") {
            $0.reach(.admitted, at: instant(1))
            $0.reach(.resolved(host: "a", addresses: []), at: instant(3))
            $0.reach(.connected(address: "1.2.3.4:443", reused: false), at: instant(7))
            $0.reach(.secured(protocol: "h2"), at: instant(15))
            $0.sendPiece(at: instant(20))
            $0.sendPiece(at: instant(31))
            $0.reach(.requestSent(bytes: 9), at: instant(62))
            $0.responseBegan(at: instant(63))
        }
        XCTAssertEqual(timings.queued, .milliseconds(1))
        XCTAssertEqual(timings.resolving, .milliseconds(2))
        XCTAssertEqual(timings.connecting, .milliseconds(4))
        XCTAssertEqual(timings.securing, .milliseconds(8))
        XCTAssertEqual(timings.sending, .milliseconds(16))
        XCTAssertEqual(timings.waiting, .milliseconds(32))
        XCTAssertEqual(timings.receiving, .milliseconds(937))
        XCTAssertEqual(timings.total, .milliseconds(1000))
        XCTAssertEqual(timings.between, .zero)
    }

    func testAReusedConnectionHasNoResolvingAndNoSecuringTime() throws {
        let timings = try timings("https://a/") {
            $0.reach(.admitted, at: instant(1))
            $0.reach(.connected(address: "1.2.3.4:443", reused: true), at: instant(3))
            $0.deliver(at: instant(7))
        }
        XCTAssertEqual(timings.untilHead, .milliseconds(7))
        XCTAssertEqual(timings.resolving, .zero)
        XCTAssertEqual(timings.connecting, .milliseconds(2))
        XCTAssertEqual(timings.securing, .zero)
        XCTAssertEqual(timings.waiting, .milliseconds(4))
    }

    func testTheWaitOnAKeptConnectionCountsAsWaitingIfTheRequestIsSentAgainOnAnother() throws {
        let timings = try timings("https://a/") {
            $0.reach(.admitted, at: instant(1))
            $0.reach(.connected(address: "1.2.3.4:443", reused: true), at: instant(3))
            $0.reach(.connected(address: "1.2.3.5:443", reused: true), at: instant(7))
            $0.deliver(at: instant(15))
        }
        XCTAssertEqual(timings.connecting, .milliseconds(2))
        XCTAssertEqual(timings.waiting, .milliseconds(12))
    }

    func testAPlainConnectionHasNoSecuringTime() throws {
        let timings = try timings("http://a/") {
            $0.reach(.admitted, at: instant(1))
            $0.reach(.resolved(host: "a", addresses: []), at: instant(3))
            $0.reach(.connected(address: "1.2.3.4:80", reused: false), at: instant(7))
            $0.responseBegan(at: instant(15))
        }
        XCTAssertEqual(timings.securing, .zero)
        XCTAssertEqual(timings.waiting, .milliseconds(8))
    }

    func testTimingsOfAttemptsAddUpAndPausesBetweenThemAreSeparate() throws {
        let timings = try timings("http://a/") {
            for start in [0, 100] {
                $0.reach(.admitted, at: instant(start + 10))
                $0.endPhase(at: instant(start + 15))
                $0.endPhase(at: instant(start + 20))
                if start == 0 { $0.queue(isSecure: false, at: instant(100)) }
            }
        }
        XCTAssertEqual(timings.queued, .milliseconds(20))
        XCTAssertEqual(timings.resolving, .milliseconds(10))
        XCTAssertEqual(timings.between, .milliseconds(970))
    }
}
