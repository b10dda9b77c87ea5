import FreshetHTTP
import HTTPTypes
import XCTest

final class RequestURLQueryTests: XCTestCase {
    private func url(_ text: String = "http://h/a") throws -> RequestURL { try RequestURL(text) }

    func testNamesAndValuesAreEncodedAndAddedInOrder() throws {
        XCTAssertEqual(
            try url().appending(query: ["q": "fresh water", "a&b": "c=d", "ä": "+/?#%"]).pathAndQuery,
            "/a?q=fresh%20water&a%26b=c%3Dd&%C3%A4=%2B%2F%3F%23%25")
        XCTAssertEqual(
            try url().appending(query: ["q": "fresh water+", "~": "*"], encoding: .form).pathAndQuery,
            "/a?q=fresh+water%2B&%7E=*")
        XCTAssertEqual(try url().appending(query: [(name: "a", value: "")]).query, "a=")
        XCTAssertEqual(try url().appending(query: []), try url())
        XCTAssertEqual(try url().appending(query: ["a": "\r\nX: y"]).query, "a=%0D%0AX%3A%20y")
    }

    func testADictionaryIsAppendedInTheOrderOfItsNames() throws {
        let dictionary = Dictionary(uniqueKeysWithValues: "edcba".map { ("\($0)", "1 ") })
        XCTAssertEqual(
            try url("http://h/?x").appending(queryDictionary: dictionary).query,
            "x&a=1%20&b=1%20&c=1%20&d=1%20&e=1%20")
        XCTAssertEqual(try url().appending(queryDictionary: ["a": " "], encoding: .form).query, "a=+")
        XCTAssertEqual(try url().appending(queryDictionary: [:]), try url())
    }

    func testAQueryIsAppendedToAnExistingOne() throws {
        for (text, expected) in [
            ("http://h", "/?a=b"), ("http://h/x?y", "/x?y&a=b"), ("http://h/x?y=z", "/x?y=z&a=b"),
            ("http://h/x?", "/x?a=b"), ("http://h/x?y&", "/x?y&a=b"), ("http://h/x&", "/x&?a=b"),
        ] {
            XCTAssertEqual(try url(text).appending(query: ["a": "b"]).pathAndQuery, expected)
        }
        XCTAssertNil(try url().query)
        XCTAssertEqual(try url("http://h/?a?b").query, "a?b")
    }

    func testAQueryThatEndsWithAQuestionMarkKeepsIt() throws {
        for (url, result) in [
            ("https://h/a?q=what?", "/a?q=what?&x=1"), ("https://h/a?", "/a?x=1"), ("https://h/a?b&", "/a?b&x=1"),
        ] {
            XCTAssertEqual(try RequestURL(url).appending(query: ["x": "1"]).pathAndQuery, result)
        }
    }

    func testArraysInAQueryAreEncodedInTheChosenStyle() throws {
        func query(_ style: QueryArrays) throws -> String? {
            try url().appending(query: "t", values: ["a,b", "c d"], as: style).query
        }
        XCTAssertEqual(try query(.repeated), "t=a%2Cb&t=c%20d")
        XCTAssertEqual(try query(.brackets), "t%5B%5D=a%2Cb&t%5B%5D=c%20d")
        XCTAssertEqual(try query(.indices), "t%5B0%5D=a%2Cb&t%5B1%5D=c%20d")
        XCTAssertEqual(try query(.commas), "t=a%2Cb,c%20d")
        for style in [QueryArrays.repeated, .brackets, .indices, .commas] {
            XCTAssertNil(try url().appending(query: "t", values: [], as: style).query)
        }
    }

    func testASegmentOfThePathRemainsOneSegment() throws {
        XCTAssertEqual(
            try url().appending(path: "b c", "d/e", "100%", "ä?#").pathAndQuery, "/a/b%20c/d%2Fe/100%25/%C3%A4%3F%23")
        XCTAssertEqual(try url("http://h").appending(path: "a").pathAndQuery, "/a")
        XCTAssertEqual(try url("http://h/a/?q=1").appending(path: "b", "").pathAndQuery, "/a/b/?q=1")
        XCTAssertEqual(try url().appending(path: ["@me", "a:b", "x.."]).pathAndQuery, "/a/@me/a:b/x..")
        for segment in [".", ".."] { XCTAssertThrowsError(try url().appending(path: "b", segment)) }
    }

    func testARequestAcceptsAQuery() throws {
        let request = try Request(.get, "http://h/a?b=c", query: ["d": "e f"])
        XCTAssertEqual(request.url.pathAndQuery, "/a?b=c&d=e%20f")
    }
}
