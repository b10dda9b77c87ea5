import Foundation
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests that the word after an option is its value, as in curl, whatever it begins with.
final class DashedValueTests: CommandLineTestCase {
    private let key = "-----BEGIN PRIVATE KEY-----\ns3cret\n-----END PRIVATE KEY-----"

    func testDataThatBeginsWithDashesIsSent() throws {
        server.route { _ in ScriptedResponse() }
        for value in [key, "-=x", "--", "---", "-v", "--fail", "-5", "-"] {
            for words in [["-d", value], ["-d\(value)"], ["--data-raw", value], ["-sd", value], ["--json", value]] {
                let result = try freshet(["get", server.url] + words, input: "-")
                XCTAssertEqual(result.status, 0, "\(words): \(result.errorOutput)")
                XCTAssertEqual(server.requests.last?.text, value, "\(words)")
            }
        }
        XCTAssertEqual(try freshet("get", server.url, "--data-urlencode", "---a b").status, 0)
        XCTAssertEqual(server.requests.last?.text, "---a+b")
        XCTAssertEqual(try freshet("get", server.url, "-F", "---n=v").status, 0)
        XCTAssertTrue(server.requests.last?.text.contains("name=\"---n\"\r\n\r\nv\r\n") == true)
        XCTAssertEqual(try freshet("bench", server.url, "-n", "1", "--json", "-d", key).status, 0)
        XCTAssertEqual(server.requests.last?.text, key)
    }

    func testOtherValuesThatBeginWithDashesAreTaken() throws {
        server.route { _ in ScriptedResponse() }
        let folder = try temporaryDirectory()
        let file = folder.appendingPathComponent("---f").path
        let result = try freshet(
            "get", server.url, "-u", "---me:pw", "-A", "---a", "-H---n: v", "-e", "--e", "-X", "-X", "-o", file,
            "--pass", "---p")
        XCTAssertEqual(result.status, 0, result.errorOutput)
        let request = try XCTUnwrap(server.requests.last)
        XCTAssertEqual(request.headers[.authorization], "Basic \(Data("---me:pw".utf8).base64EncodedString())")
        XCTAssertEqual(request.headers[.userAgent], "---a")
        XCTAssertEqual(request.headers[HTTPField.Name("---n")!], "v")
        XCTAssertEqual(request.headers[HTTPField.Name("Referer")!], "--e")
        XCTAssertEqual(request.method.rawValue, "-X")
        XCTAssertTrue(FileManager.default.fileExists(atPath: file))
    }

    func testTheLastEventIDMayBeginWithADash() throws {
        server.enqueue(ScriptedResponse(headers: [.contentType: "text/event-stream"], body: "data: a\n\n"))
        let result = try freshet("events", server.url, "--no-reconnect", "--last-event-id", "-7")
        XCTAssertEqual(result.status, 0, result.errorOutput)
        XCTAssertEqual(server.requests.last?.headers[HTTPField.Name("Last-Event-ID")!], "-7")
    }

    func testAValueThatIsRefusedIsNotRepeated() throws {
        for words in [
            ["run", "-d", key], ["run", "-d\(key)"], ["get", "http://h/", key], ["get", "http://h/", "--cookie", key],
            ["get", "http://h/", "-b", key], ["get", "http://h/", "-=s3cret"], ["login", "-d", key], [key],
            ["login", "--profile", "p", "--access-token", key], ["get", "http://h/", "--timeout", key],
            ["get", "http://h/", "--retry", "s3cret"], ["bench", "http://h/", "--json", key],
            ["get", "http://h/", "-d", "-s3cret", "--retry", "-1"], ["get", "http://h/", "-H", key],
        ] {
            let result = try FreshetProcess(words).result()
            XCTAssertEqual(result.status, 2, "\(words)")
            XCTAssertFalse(result.errorOutput.contains("s3cret"), result.errorOutput)
            XCTAssertFalse(result.errorOutput.contains("PRIVATE"), result.errorOutput)
        }
        let misplaced = try FreshetProcess(["get", "http://h/", "-d", "a", key]).result().errorOutput
        XCTAssertTrue(misplaced.hasPrefix("freshet: argument 5 begins with dashes, but is no option\n"), misplaced)
        let number = try FreshetProcess(["get", "http://h/", "--timeout", "-1"]).result().errorOutput
        XCTAssertTrue(number.hasPrefix("freshet: the value is invalid for '--timeout <seconds>'\n"), number)
    }
}
