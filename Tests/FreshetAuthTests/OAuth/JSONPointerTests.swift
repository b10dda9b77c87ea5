import FreshetHTTP
import XCTest

@testable import FreshetAuth

final class JSONPointerTests: XCTestCase {
    /// The document and the values of RFC 6901 section 5.
    func testTheExamplesOfTheStandardAreResolved() throws {
        let document = try JSONValue(
            Array(
                #"{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8}"#.utf8))
        let responses: [(String, JSONValue)] = [
            ("/foo", .array([.string("bar"), .string("baz")])), ("/foo/0", .string("bar")), ("/", .number(0)),
            ("/a~1b", .number(1)), ("/c%d", .number(2)), ("/e^f", .number(3)), ("/g|h", .number(4)),
            ("/i\\j", .number(5)), ("/k\"l", .number(6)), ("/ ", .number(7)), ("/m~0n", .number(8)),
        ]
        for (pointer, response) in responses {
            XCTAssertEqual(try JSONPointer(pointer).value(in: document), response, pointer)
        }
        XCTAssertEqual(try JSONPointer("").value(in: document), document)
        XCTAssertEqual(try JSONPointer("/~01").value(in: .object(["~1": .null])), .null)
        for pointer in ["/nowhere", "/foo/2", "/foo/00", "/foo/-", "/foo/-1", "/foo/0/x", "/foo/99999999999999999999"] {
            XCTAssertNil(try JSONPointer(pointer).value(in: document), pointer)
        }
    }

    func testAnInvalidPointerIsRefused() {
        for text in ["foo", "/a~", "/a~2"] { XCTAssertThrowsError(try JSONPointer(text), text) }
    }

    func testJSONIsWrittenAsItWasRead() throws {
        let text = #"{"a":[1,1.5,true,null,"x"],"b":{}}"#
        XCTAssertEqual(String(decoding: try JSONValue(Array(text.utf8)).encoded(), as: UTF8.self), text)
        XCTAssertThrowsError(try JSONValue(Array("{".utf8)))
    }
}
