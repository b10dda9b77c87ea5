import CFreshetCurl
import Foundation
import XCTest

final class LoadedLibcurlTests: XCTestCase {
    /// `FRESHET_LIBCURL` names the version that a run is for. A run that loads another version by mistake would prove nothing.
    func testTheLoadedLibcurlIsTheExpectedVersionAndNotTooOld() throws {
        let version = try XCTUnwrap(curl_version_info(CURLVERSION_FIRST)?.pointee)
        XCTAssertGreaterThanOrEqual(version.version_num, 0x07_58_01)
        let name = String(cString: version.version)
        XCTAssertEqual(name, ProcessInfo.processInfo.environment["FRESHET_LIBCURL"] ?? name)
    }
}
