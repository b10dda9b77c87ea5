import Foundation
import FreshetCore
import FreshetHTTPTesting
import FreshetLayers
import HTTPTypes
import XCTest

/// Tests which fields of a response a disk cache returns.
final class DiskCacheFieldTests: DiskCacheTestCase {
    /// The bytes were U+FFFD, so a stored redirect led to another address.
    func testAFieldThatIsNotUTF8KeepsItsBytes() throws {
        let bytes: [UInt8] = [0x2F, 0xFC, 0xE9, 0x41]
        for confirms in [false, true] {
            let bench = try bench()
            var response = ScriptedResponse(headers: [.cacheControl: "max-age=1", .eTag: #""e""#], body: "")
            if !confirms { response.headers.append(HTTPField(name: .contentLocation, value: bytes)) }
            response.headers.append(HTTPField(name: .server, value: "é"))
            bench.server.enqueue(response)
            try bench.send()
            if confirms {
                bench.pass(10)
                var confirmation = ScriptedResponse(status: .notModified, headers: [.cacheControl: "max-age=100"])
                confirmation.headers.append(HTTPField(name: .contentLocation, value: bytes))
                bench.server.enqueue(confirmation)
                try bench.send()
            }
            let hit = try bench.send()
            XCTAssertEqual(hit.from, "hit 0")
            let stored = hit.headers[fields: .contentLocation].map { $0.withUnsafeBytesOfValue { Array($0) } }
            XCTAssertEqual(stored, [bytes])
            XCTAssertEqual(hit.headers[.server], "é")
            try FileManager.default.removeItem(atPath: folder)
        }
    }
}
