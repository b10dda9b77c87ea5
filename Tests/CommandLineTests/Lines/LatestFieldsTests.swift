import Freshet
import HTTPTypes
import XCTest

@testable import freshet_cli

/// Tests the JSON text of header fields.
final class LatestFieldsTests: XCTestCase {
    func testRepeatedFieldsAreJoinedInTheOrderOfTheirFirstAppearance() {
        var latest = LatestFields()
        var fields = HTTPFields()
        for (name, value) in [("B", "1"), ("Set-Cookie", "c"), ("a", "2"), ("b", "3"), ("set-cookie", "d, e")] {
            fields.append(HTTPField(name: HTTPField.Name(name)!, value: value))
        }
        XCTAssertEqual(
            String(decoding: latest.text(of: fields), as: UTF8.self),
            #"{"b":"1, 3","set-cookie":["c","d, e"],"a":"2"}"#)
    }

    /// With a search in all names for each name this takes half a minute.
    func testThousandsOfFieldsAreWrittenAtOnce() {
        var latest = LatestFields()
        var fields = HTTPFields()
        for number in 0..<20_000 { fields.append(HTTPField(name: HTTPField.Name("n\(number)")!, value: "")) }
        let start = ContinuousClock.now
        XCTAssertGreaterThan(latest.text(of: fields).count, 100_000)
        XCTAssertLessThan(ContinuousClock.now - start, .seconds(8))
    }
}
