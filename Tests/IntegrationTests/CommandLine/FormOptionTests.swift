import Foundation
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

    func testAHyphenIsStandardInputAlsoBesideAFileOfThisName() throws {
        server.route { _ in ScriptedResponse(body: "b") }
        let folder = try temporaryDirectory()
        try Data("file".utf8).write(to: folder.appending(path: "-"))
        for words in [
            ["get", "-F", "x=@-"], ["get", "-F", "x=<-"], ["get", "-F", "x=@\"-\";type=a/b"], ["get", "-d", "@-"],
            ["get", "--json", "-"], ["get", "-T", "-"], ["get", "--data-urlencode", "x@-"],
            ["bench", "-n1", "-d", "@-"],
        ] {
            let run = try FreshetProcess(words + [server.url], in: folder)
            try run.write("input")
            try run.input.fileHandleForWriting.close()
            XCTAssertEqual(run.result().status, 0, "\(words)")
            let text = server.requests.last?.text ?? ""
            XCTAssertTrue(text.contains("input") && !text.contains("file\r\n"), "\(words): \(text)")
        }
        _ = try FreshetProcess(["get", "-F", "x=@./-", server.url], in: folder).result()
        XCTAssertTrue(server.requests.last?.text.contains("\r\n\r\nfile\r\n") == true)
    }

    func testTheTypeIsGuessedFromTheNamesAsInCurl() throws {
        server.route { _ in ScriptedResponse(body: "b") }
        let folder = try temporaryDirectory()
        for name in ["a.png", "a.bin", "a.txt"] { try Data("z".utf8).write(to: folder.appending(path: name)) }
        let (png, bin) = (folder.appending(path: "a.png").path, folder.appending(path: "a.bin").path)
        let txt = folder.appending(path: "a.txt").path
        for (field, expected) in [
            ("x=@\(png);filename=photo", "; filename=\"photo\"\r\nContent-Type: image/png\r\n\r\nz"),
            ("x=@\(png) ; filename=b.TXT", "; filename=\"b.TXT\"\r\nContent-Type: text/plain\r\n\r\nz"),
            ("x=@\(png);type=a/b", "; filename=\"a.png\"\r\nContent-Type: a/b\r\n\r\nz"),
            ("x=@\(bin);filename=b", "; filename=\"b\"\r\nContent-Type: application/octet-stream\r\n\r\nz"),
            ("x=a;filename=b.txt", "; filename=\"b.txt\"\r\nContent-Type: text/plain\r\n\r\na"),
            ("x=a;filename=b", "; filename=\"b\"\r\n\r\na"),
            ("x=a;filename=png", "; filename=\"png\"\r\n\r\na"),
            ("x=a;filename=.png", "; filename=\".png\"\r\nContent-Type: image/png\r\n\r\na"),
            ("x=a;filename=b.png/", "; filename=\"b.png/\"\r\n\r\na"),
            ("x=<\(png);filename=b.txt", "\r\nContent-Type: image/png\r\n\r\nz"),
            ("x=<\(bin);filename=b.txt", "\r\n\r\nz"),
            ("x=<\(txt)", "\r\n\r\nz"),
            ("x=<\(txt);type=text/plain", "\r\nContent-Type: text/plain\r\n\r\nz"),
            ("x=@-", "; filename=\"-\"\r\n\r\n"),
            ("x=@-;filename=b", "; filename=\"b\"\r\n\r\n"),
            ("x=@-;filename=b.png", "; filename=\"b.png\"\r\nContent-Type: image/png\r\n\r\n"),
            ("x=@-;type=a/b", "; filename=\"-\"\r\nContent-Type: a/b\r\n\r\n"),
        ] {
            XCTAssertEqual(try part(field).text, expected, field)
        }
    }

    func testAnEmptyFileNameHasNoTypeInAFolderThatIsNamedLikeAPicture() throws {
        server.route { _ in ScriptedResponse(body: "b") }
        let folder = try temporaryDirectory().appendingPathComponent("a.png")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        try Data("z".utf8).write(to: folder.appendingPathComponent("z.txt"))
        for (field, expected) in [
            ("x=a;filename=", "; filename=\"\"\r\n\r\na"),
            ("x=@z.txt;filename=", "; filename=\"\"\r\nContent-Type: text/plain\r\n\r\nz"),
        ] {
            let run = try FreshetProcess(["get", server.url, "-F", field], in: folder)
            try run.input.fileHandleForWriting.close()
            XCTAssertEqual(run.result().status, 0)
            XCTAssertTrue(try XCTUnwrap(server.requests.last).text.contains("name=\"x\"\(expected)\r\n--"), field)
        }
    }

    func testAFileNameOfAContentIsLeftOutWithANote() throws {
        server.route { _ in ScriptedResponse(body: "b") }
        let file = try temporaryFile("z")
        for (field, isNoted) in [("x=<\(file);filename=s3cret", true), ("x=<\(file)", false)] {
            let part = try part(field)
            XCTAssertEqual(part.text, "\r\n\r\nz")
            XCTAssertEqual(part.note.contains("-F sends no file name with NAME=<FILE"), isNoted, part.note)
            XCTAssertFalse(part.note.contains("s3cret"), part.note)
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
