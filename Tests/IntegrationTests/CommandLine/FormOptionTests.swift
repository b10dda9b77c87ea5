import FreshetHTTPTesting
import XCTest

/// Tests that `-F` reads a field as curl 7.88.1 does.
final class FormOptionTests: CommandLineTestCase {
    /// The fields after the name, an empty line, and the value.
    private func part(_ field: String) throws -> (text: String, note: String) {
        let result = try freshet("get", server.url, "-F", field)
        XCTAssertEqual(result.status, 0, result.errorOutput)
        let text = try XCTUnwrap(server.requests.last).text
        let part = text.split(separator: "name=\"x\"", maxSplits: 1)[1]
        return (String(part[..<(part.range(of: "\r\n--")?.lowerBound ?? part.endIndex)]), result.errorOutput)
    }

    func testQuotationMarksBackslashesAndSpacesAreReadAsInCurl() throws {
        server.route { _ in ScriptedResponse(body: "b") }
        for (field, expected) in [
            (#"x="a\nb C:\temp""#, #"\#r\#n\#r\#na\nb C:\temp"#),
            (#"x="a\"b\\c""#, #"\#r\#n\#r\#na"b\c"#),
            (#"x="abc"#, "\r\n\r\n\"abc"),
            (#"x= "q;" "#, "\r\n\r\nq;"),
            ("x= a b ", "\r\n\r\na b"),
            ("x=a ; type= text/html ; charset=y ", "\r\nContent-Type: text/html ; charset=y\r\n\r\na"),
            ("x=a;FILENAME= b c ;type=a/b", "; filename=\"b c\"\r\nContent-Type: a/b\r\n\r\na"),
            ("x=a,b", "\r\n\r\na,b"),
        ] {
            let part = try part(field)
            XCTAssertEqual(part.text, expected, field)
            XCTAssertEqual(part.note, "", field)
        }
    }

    func testWhatCurlLeavesOutIsLeftOutWithANoteThatDoesNotRepeatIt() throws {
        server.route { _ in ScriptedResponse(body: "b") }
        for field in [#"x="a";s3cret"#, "x=a;s3cret", #"x="a" s3cret"#] {
            let part = try part(field)
            XCTAssertEqual(part.text, "\r\n\r\na", field)
            XCTAssertTrue(part.note.contains("note: as in curl, -F does not send"), part.note)
            XCTAssertFalse(part.note.contains("s3cret"), part.note)
        }
        let result = try freshet("get", server.url, "-F", "x=a;type=text")
        XCTAssertEqual(result.status, 2)
        XCTAssertTrue(result.errorOutput.contains("no media type"), result.errorOutput)
    }
}
