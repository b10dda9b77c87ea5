import Foundation
import FreshetLoop
import XCTest

final class OpenFilesTests: LoopTestCase {
    func testTheDescriptorTableHasRoomForAThousandDescriptors() throws {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try XCTUnwrap(status.split(separator: "\n").first { $0.hasPrefix("FDSize:") })
        let room = try XCTUnwrap(Int(line.dropFirst(7).trimmingCharacters(in: .whitespaces)))
        XCTAssertGreaterThanOrEqual(room, min(1024, OpenFiles.raiseLimit()))
    }
}
