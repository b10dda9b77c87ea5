import Foundation
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests that `get` sends what curl sends for the same options, and writes where curl writes.
final class CurlRequestTests: CommandLineTestCase {
    private func headers(_ words: String...) throws -> HTTPFields {
        server.route { _ in ScriptedResponse() }
        let result = try freshet(["get", server.url] + words)
        XCTAssertEqual(result.status, 0, result.errorOutput)
        return server.requests.last?.headers ?? [:]
    }

    func testAFieldThatIsLeftOutKeepsItsOtherValues() throws {
        let fields = try headers("-H", "X-A: a", "-H", "X-A:", "-H", "Accept:", "-H", "Accept: b", "-HReferer:", "-ez")
        XCTAssertEqual(fields[values: HTTPField.Name("X-A")!], ["a"])
        XCTAssertEqual(fields[values: .accept], ["b"])
        XCTAssertNil(fields[.referer])
    }

    func testAcceptAndUserAgentAreLeftOut() throws {
        server.route { _ in ScriptedResponse() }
        for words in [["-H", "User-Agent:", "-H", "Accept:"], ["-A", "", "-e", "", "-HAccept:"]] {
            let result = try freshet(["get", server.url] + words)
            XCTAssertEqual(result.status, 0, result.errorOutput)
            let fields = server.requests.last?.headers ?? [:]
            for name in [HTTPField.Name.accept, .userAgent, .referer] { XCTAssertNil(fields[name], "\(words)") }
        }
    }

    func testAWrittenFieldWinsOverTheOptionsForIt() throws {
        let fields = try headers("-H", "user-agent: y", "-A", "z", "-e", "z", "-H", "Referer: y")
        XCTAssertEqual(fields[values: .userAgent], ["y"])
        XCTAssertEqual(fields[values: .referer], ["y"])
    }

    func testAMarkThatCombinesWithASeparatorBelongsToTheValue() throws {
        let fields = try headers("-H", "X-A:\u{301}v", "-F", "n=\u{301}v")
        XCTAssertEqual(fields[HTTPField.Name("X-A")!], "\u{301}v")
        XCTAssertTrue(server.requests.last?.text.contains("name=\"n\"\r\n\r\n\u{301}v\r\n") == true)
    }

    func testAnEmptyFileIsSentWithItsLength() throws {
        let file = try temporaryFile("")
        for words in [["-d", "@\(file)"], ["-X", "PUT", "-d", "@\(file)"], ["-T", file]] {
            server.route { _ in ScriptedResponse() }
            _ = try freshet(["get", server.url] + words)
            XCTAssertEqual(server.requests.last?.headers[.contentLength], "0", "\(words)")
        }
    }

    func testAMultipartTypeGetsTheBoundary() throws {
        let type = try headers("-F", "x=1", "-H", "Content-Type: multipart/form-data")[.contentType]
        XCTAssertTrue(type?.hasPrefix("multipart/form-data; boundary=freshet-") == true, type ?? "")
    }

    func testTheQueryKeepsEachByteOfAFileAndHasNoEmptyField() throws {
        server.route { _ in ScriptedResponse() }
        let file = try temporaryDirectory().appendingPathComponent("latin")
        try Data([0x61, 0x3D, 0xE9, 0xFF]).write(to: file)
        for (query, expected) in [("", "?a=%E9%FF"), ("?", "?a=%E9%FF"), ("?b", "?b&a=%E9%FF"), ("?b&", "?b&a=%E9%FF")]
        {
            _ = try freshet("get", "-G", "-d", "@\(file.path)", "\(server.url)/x\(query)")
            XCTAssertEqual(server.requests.last?.target, "/x\(expected)")
        }
    }

    /// The error was about the address, without its query.
    func testDataThatAQueryCanNotHoldIsNamed() throws {
        let file = try temporaryFile("q=a b\n")
        for (words, subject) in [
            (["-d", "q=a b"], "the data of -d has"), (["-d", "a=1", "-d", "@\(file)"], "the data of -d has"),
            (["--data-raw", "q=a\tb"], "the data of --data-raw has"),
        ] {
            let result = try freshet(["get", server.url, "-G"] + words)
            XCTAssertEqual(result.status, 1)
            XCTAssertTrue(result.errorOutput.hasPrefix("freshet: invalid_request: \(subject)"), result.errorOutput)
            XCTAssertTrue(result.errorOutput.contains("--data-urlencode encodes it"), result.errorOutput)
        }
        let name = try freshet("get", server.url, "-G", "--data-urlencode", "a b=c")
        XCTAssertTrue(
            name.errorOutput.hasPrefix("freshet: invalid_request: the name in --data-urlencode has"), name.errorOutput)
        XCTAssertEqual(server.requestCount, 0)
    }

    func testAQueryThatIsTooLongIsRefusedBeforeAnythingIsSent() throws {
        let file = try temporaryFile(String(repeating: "a", count: 8_000_000))
        let result = try freshet("get", "\(server.url)/items/5", "-G", "-d", "@\(file)", "-X", "DELETE")
        XCTAssertEqual(result.status, 1)
        XCTAssertTrue(
            result.errorOutput.hasPrefix(
                "freshet: invalid_request: the URL's path and query are too long: 8000009 bytes"),
            result.errorOutput)
        XCTAssertEqual(server.acceptedConnections, 0)
    }

    func testTwoFilesToUploadAreRefused() throws {
        let result = try freshet("get", server.url, "-T", "/etc/hostname", "-T", "/etc/hostname")
        XCTAssertEqual(result.status, 2)
        XCTAssertTrue(result.errorOutput.contains("--upload-file sends one file"), result.errorOutput)
        XCTAssertEqual(server.requestCount, 0)
    }

    func testALinkWithoutATargetStaysAndItsTargetIsWritten() throws {
        server.route { _ in ScriptedResponse(body: "body") }
        let folder = try temporaryDirectory()
        for target in ["file", folder.appendingPathComponent("file").path] {
            try FileManager.default.createSymbolicLink(
                atPath: folder.appendingPathComponent("link").path, withDestinationPath: target)
            XCTAssertEqual(try FreshetProcess(["get", "-io", "link", server.url], in: folder).result().status, 0)
            let file = folder.appendingPathComponent("file")
            XCTAssertTrue(try String(contentsOf: file, encoding: .utf8).hasSuffix("\r\n\r\nbody"))
            try FileManager.default.removeItem(at: file)
            let link = folder.appendingPathComponent("link").path
            XCTAssertEqual(try FileManager.default.destinationOfSymbolicLink(atPath: link), target)
            try FileManager.default.removeItem(atPath: link)
        }
    }

    /// With `http://` before it, an https address would be sent in the clear to a host named https.
    func testAnAddressWithoutBothSlashesAfterItsSchemeIsRefused() throws {
        for address in ["https:/example.com/x", "http:/127.0.0.1/x", "HTTPS:example.com", "http:127.0.0.1:1/"] {
            let result = try freshet("get", "-u", "alice:s3cret", "-x", server.url, address)
            XCTAssertEqual(result.status, 1)
            XCTAssertTrue(
                result.errorOutput.hasPrefix("freshet: invalid_request: \(address): the URL is not absolute"),
                result.errorOutput)
        }
        XCTAssertEqual(server.requestCount, 0)
    }

    func testAHeadIsNotResumed() throws {
        let file = try temporaryFile("inside")
        for (options, named) in [
            (["-i"], "--include"), (["-I"], "--head"), (["-X", "HEAD"], "--request HEAD"),
        ] {
            let result = try freshet(["get", server.url, "--resume", "-o", file] + options)
            XCTAssertEqual(result.status, 2)
            XCTAssertTrue(
                result.errorOutput.contains("--resume goes on with a body; leave \(named) out"), result.errorOutput)
        }
        XCTAssertEqual(try String(contentsOfFile: file, encoding: .utf8), "inside")
    }

    func testAFileThatMayNotBeReadIsReportedWithItsMode() throws {
        let file = try temporaryFile("{}")
        try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: file)
        // Root may read it with these capabilities.
        let launcher = getuid() == 0 ? "setpriv --bounding-set -dac_override,-dac_read_search" : ""
        for words in [
            ["-d", "@\(file)"], ["--json", "@\(file)"], ["--data-urlencode", "x@\(file)"], ["-T", file],
            ["-F", "a=@\(file)"], ["--profile", "p", "--config", file],
        ] {
            let result = try FreshetProcess(["get", server.url] + words, launcher: launcher).result()
            XCTAssertEqual(result.status, 1, result.errorOutput)
            XCTAssertTrue(result.errorOutput.contains("Permission denied"), result.errorOutput)
            XCTAssertTrue(result.errorOutput.contains("; check its path and its mode"), result.errorOutput)
            XCTAssertFalse(result.errorOutput.contains("after the @"), result.errorOutput)
        }
        let missing = try freshet("get", server.url, "-d", "@\(file).none")
        XCTAssertTrue(missing.errorOutput.contains("check the name after the @"), missing.errorOutput)
        XCTAssertEqual(server.requestCount, 0)
    }
}
