import XCTest

@testable import FreshetCurl

final class HeadsAsTargetsTests: XCTestCase {
    private let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
    private let settings: [UInt8] = [0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 100]
    private let headers: [UInt8] = [0, 0, 3, 1, 5, 0, 0, 0, 1, 0x82, 0x86, 0x84]

    override class func setUp() {
        super.setUp()
        CurlLibrary.start()
    }

    func testTheLoadedLibcurlPassesBothChecksUnlessQuirksAreSwitchedOff() {
        XCTAssertEqual(HeadsAsTargets.isActive, !Quirks.areOff)
        XCTAssertEqual(HeadsAsTargets.isActiveOverHTTP2, !Quirks.areOff)
    }

    func testTheHeadersFrameIsFoundAfterOtherFramesOnceItIsComplete() {
        let bytes = preface + settings + headers
        XCTAssertEqual(HeadsAsTargets.frame(bytes + settings).map(Array.init), headers)
        for count in 0..<bytes.count { XCTAssertNil(HeadsAsTargets.frame(Array(bytes.prefix(count))), "\(count)") }
    }

    func testDataThatIsNotHTTP2HasNoHeadersFrame() {
        XCTAssertNil(HeadsAsTargets.frame(Array("GET / HTTP/1.1\r\n\r\n".utf8) + settings + headers))
    }
}
