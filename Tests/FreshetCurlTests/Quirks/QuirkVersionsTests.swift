import CFreshetCurl
import Glibc
import XCTest

@testable import FreshetCurl

/// Tests with which versions of libcurl each quirk is active. The tests run with several versions, and with the quirks off.
final class QuirkVersionsTests: XCTestCase {
    private let isBefore81 = CurlVersion.number < 0x08_01_00

    override class func setUp() {
        super.setUp()
        CurlLibrary.start()
    }

    func testRequestsAreHeldBackOnlyBefore81() throws {
        XCTAssertEqual(EarlyResponses.isActive, isBefore81 && !Quirks.areOff)
        let fd = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(fd) }
        XCTAssertEqual(isHeldBack(fd), false)
        let held = EarlyResponses(on: fd)
        XCTAssertEqual(held != nil, EarlyResponses.isActive)
        XCTAssertEqual(isHeldBack(fd), EarlyResponses.isActive)
        held?.finish()
        XCTAssertEqual(isHeldBack(fd), false)
        XCTAssertNil(EarlyResponses(on: -1))
        let both = CURL_CSELECT_IN | CURL_CSELECT_OUT
        XCTAssertEqual(
            EarlyResponses.selection(for: CURL_CSELECT_IN), EarlyResponses.isActive ? both : CURL_CSELECT_IN)
        XCTAssertEqual(EarlyResponses.selection(for: CURL_CSELECT_ERR), CURL_CSELECT_ERR)
    }

    private func isHeldBack(_ fd: Int32) -> Bool? {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(fd, Int32(IPPROTO_TCP), TCP_CORK, &value, &length) == 0 ? value != 0 : nil
    }

    func testARefusalIsDistinguishedFromOtherEndsOnlyBefore81() {
        let isActive = isBefore81 && !Quirks.areOff
        for number: UInt32 in 0...99 {
            for besideRefused in [false, true] {
                let isSign =
                    switch number {
                    // The numbers are CURLE_OK without a response, CURLE_HTTP2, and CURLE_GOT_NOTHING.
                    case 0, 16: true
                    case 52: besideRefused
                    default: false
                    }
                XCTAssertEqual(
                    RefusedStreams.isRefusal(CURLcode(number), besideRefused: besideRefused), isActive && isSign,
                    "\(number), \(besideRefused)")
            }
        }
    }

    func testFramesOfChunksCanBeMissingOnlyFrom81To812() {
        let isAffected = !isBefore81 && CurlVersion.number < 0x08_0C_00
        XCTAssertEqual(RemovedChunkFrames.arePossible, isAffected && !Quirks.areOff)
    }

    func testEachHandleIsGuardedUnlessQuirksAreSwitchedOff() throws {
        let easy = try XCTUnwrap(curl_easy_init())
        defer { curl_easy_cleanup(easy) }
        XCTAssertEqual(SilentResendGuard.apply(to: easy), !Quirks.areOff)
    }
}
