import HTTPTypes
import XCTest

@testable import FreshetLayers

/// Source: RFC 9111 section 3.1, and servers that omit the comma between two names.
final class StoredFieldsTests: XCTestCase {
    func testFieldsOfOneConnectionAreNotStored() throws {
        let names = ["X-One", "X-Two", "X-Three", "X-Four", "X-Five", "X-Kept"]
        var fields: HTTPFields = [.connection: "x-one,\tX-Two", .transferEncoding: "chunked", .eTag: "\"1\""]
        fields.append(HTTPField(name: .connection, value: "close , X-Three,X-Four\tX-Five"))
        for name in names { fields.append(HTTPField(name: try XCTUnwrap(HTTPField.Name(name)), value: "1")) }
        XCTAssertEqual(CacheRules.storedFields(fields).map(\.name.rawName), ["ETag", "X-Kept"])
    }
}
