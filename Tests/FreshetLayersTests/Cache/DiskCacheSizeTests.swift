import Foundation
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

@testable import FreshetLayers

final class DiskCacheSizeTests: DiskCacheTestCase {
    private func size() throws -> Int {
        try FileManager.default.subpathsOfDirectory(atPath: folder).reduce(0) { sum, name in
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")
            return sum + (attributes[.type] as? FileAttributeType == .typeRegular ? attributes[.size] as? Int ?? 0 : 0)
        }
    }

    /// Heads that validations had enlarged did not count.
    func testTheSizeLimitHoldsAfterValidations() throws {
        let bench = try bench(maximumSize: 1 << 20)
        bench.server.route { request in
            let isValidation = request.headers.contains(.ifNoneMatch)
            let large = String(repeating: "x", count: isValidation ? 100_000 : 1)
            return ScriptedResponse(
                status: isValidation ? .notModified : .ok,
                headers: [.cacheControl: "max-age=10", .eTag: #""e""#, .init("X-Large")!: large], body: "1")
        }
        for number in 0..<40 { try bench.send(.get, "/\(number)") }
        bench.pass(20)
        for number in 0..<40 {
            XCTAssertEqual(try bench.send(.get, "/\(number)").status, 200)
            XCTAssertLessThanOrEqual(try size(), 1 << 20, "\(number)")
        }
        XCTAssertGreaterThan(bench.server.requests.filter { $0.headers.contains(.ifNoneMatch) }.count, 5)
        XCTAssertEqual(try bench.send(.get, "/39").from?.prefix(3), "hit")
    }

    /// A quarter of the size was written, and took the place of other responses, before it was given up.
    func testABodyThatIsKnownToBeTooLargeDisplacesNoOther() throws {
        let bench = try bench(maximumSize: 1 << 20)
        bench.server.route(.get, "/large") { _ in
            .repeating(
                [UInt8](repeating: 1, count: 1000), times: 300,
                headers: [.cacheControl: "max-age=100", .contentLength: "300000"])
        }
        bench.server.route(.get, "/*") { _ in
            ScriptedResponse(
                headers: [.cacheControl: "max-age=100"], body: String(repeating: "x", count: 200_000))
        }
        for number in 0..<4 { try bench.send(.get, "/\(number)") }
        XCTAssertEqual(try bench.send(.get, "/large").body.utf8.count, 300_000)
        for number in 0..<4 { XCTAssertEqual(try bench.send(.get, "/\(number)").from, "hit 0", "\(number)") }
    }

    func testTheVariantsOfAURLAreBounded() throws {
        let bench = try bench(maximumSize: 64 << 20)
        for number in 0..<70 {
            bench.script(.ok, "Cache-Control: max-age=1000", "Vary: X-Id")
            try bench.send(.get, "/a", [.init("X-Id")!: "\(number)"])
        }
        let heads = try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.hasSuffix(".head") }
        XCTAssertEqual(heads.count, 64)
        XCTAssertEqual(try bench.send(.get, "/a", [.init("X-Id")!: "69"]).from?.prefix(3), "hit")
    }
}
