import Foundation
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests the cache of the command across processes.
final class CacheTests: ProfileTestCase {
    private func lines(_ urls: [String], _ words: String...) throws -> [[String: Any]] {
        let input = urls.map { $0.hasPrefix("{") ? $0 : "{\"url\": \"\($0)\"}" }.joined(separator: "\n") + "\n"
        let result = try freshet(["run", "--ordered", "-c", "1"] + words, input: input)
        XCTAssertEqual(result.status, 0, result.errorOutput)
        return result.objects
    }

    private func scripted(_ control: String = "max-age=100") -> String {
        server.route(.get, "/a") { request in
            if request.headers[.ifNoneMatch] == #""e""# { return ScriptedResponse(status: .notModified) }
            return ScriptedResponse(headers: [.cacheControl: control, .eTag: #""e""#], body: "n\(request.number)")
        }
        server.route(.post, "/a") { _ in ScriptedResponse() }
        return "\(server.url)/a"
    }

    func testLinesReportTheSourceOfTheirResponses() throws {
        let url = scripted()
        let folder = try temporaryDirectory().appendingPathComponent("new/cache").path
        let validated = "{\"url\": \"\(url)\", \"headers\": {\"Cache-Control\": \"no-cache\"}}"
        let post = "{\"url\": \"\(url)\", \"method\": \"POST\"}"
        let lines = try lines([url, url, validated, post, url], "--cache", folder)
        XCTAssertEqual(lines.map { $0["cache"] as? String }, ["miss", "hit", "revalidated", nil, "miss"])
        XCTAssertEqual(lines.map { $0["attempts"] as? Int }, [1, 0, 1, 1, 1])
        XCTAssertEqual(lines.map { $0["body"] as? String }, ["n1", "n1", "n1", "", "n4"])
        XCTAssertEqual(lines[1]["age"] as? Int, 0)
        XCTAssertTrue(lines[3]["cache"] is NSNull)
        XCTAssertEqual(try self.lines([url], "--cache", folder).first?["cache"] as? String, "hit", "another process")
        XCTAssertNil(try self.lines([url]).first?["cache"])
    }

    func testTheCommandEndsAfterTheValidationOfAStaleResponse() throws {
        let url = scripted("max-age=0, stale-while-revalidate=60")
        let folder = try temporaryDirectory().appendingPathComponent("cache").path
        for _ in 0..<2 { XCTAssertEqual(try freshet("get", url, "--cache", folder).text, "n1") }
        XCTAssertEqual(server.requests.last?.headers[.ifNoneMatch], #""e""#)
        XCTAssertEqual(server.requests.count, 2)
        let wanted = "{\"url\": \"\(url)x\", \"headers\": {\"Cache-Control\": \"only-if-cached\"}}"
        let line = try lines([wanted], "--cache", folder)[0]
        XCTAssertEqual([line["status"] as? Int, line["attempts"] as? Int], [504, 0])
        XCTAssertEqual(line["cache"] as? String, "miss")
        let single = try freshet("get", "\(url)x", "--cache", folder, "-H", "Cache-Control: only-if-cached")
        XCTAssertEqual(single.status, 22)
        XCTAssertTrue(single.errorOutput.contains("and the server was not asked"), single.errorOutput)
        XCTAssertEqual(server.requests.count, 2)
    }

    func testEachLoginHasItsOwnResponsesAcrossRefreshesAndUntilItsLogout() throws {
        let tokens = try TokenServer(on: loop) { request in
            ScriptedResponse(headers: [.cacheControl: "max-age=100"], body: "n\(request.number)")
        }
        atTheEnd { tokens.close() }
        let (config, _) = try loggedIn(tokens)
        let folder = try temporaryDirectory().appendingPathComponent("cache").path
        func get() throws -> String {
            try freshet("get", "\(tokens.url)/x", "--config", config, "--profile", "p", "--cache", folder).text
        }
        let first = try get()
        tokens.expireTokens()
        XCTAssertEqual(try get(), first, "a hit needs no token")
        XCTAssertEqual(tokens.counts.refreshes, 0)
        try logIn(to: tokens, config)
        XCTAssertNotEqual(try get(), first)
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder).compactMap {
            FileManager.default.contents(atPath: "\(folder)/\($0)").map { String(decoding: $0, as: UTF8.self) }
        }
        XCTAssertFalse(files.isEmpty)
        for file in files { XCTAssertFalse(file.contains("access-"), file) }
    }

    func testResponsesAreSeparatedByVerificationClientCertificateAndUnixSocket() throws {
        let url = scripted()
        let folder = try temporaryDirectory().appendingPathComponent("cache").path
        let listener = try UnixListener(
            answering: "HTTP/1.1 200 OK\r\nCache-Control: max-age=100\r\nContent-Length: 2\r\n\r\nok")
        defer { listener.close() }
        let (one, two) = (try temporaryFile("1"), try temporaryFile("2"))
        let get = "{\"url\": \"\(url)\"}\n"
        let connections = [
            [], ["-k"], ["--cert", one], ["--cert", two], ["-k", "--cert", one], ["--unix-socket", listener.path],
        ]
        for source in ["miss", "hit"] {
            for words in connections {
                let line = try freshet(["run", "--cache", folder] + words, input: get).objects.first
                XCTAssertEqual(line?["cache"] as? String, source, "\(words)")
            }
        }
        try Data("3".utf8).write(to: URL(fileURLWithPath: one))
        let renewed = try freshet("run", "--cache", folder, "--cert", one, input: get)
        XCTAssertEqual(renewed.objects.first?["cache"] as? String, "miss")
        // A POST changes the response for all.
        _ = try lines(["{\"url\": \"\(url)\", \"method\": \"POST\"}"], "--cache", folder, "-k")
        XCTAssertEqual(try lines([url], "--cache", folder).first?["cache"] as? String, "miss")
    }

    func testTheResponsesOfALoginAreSeparatedByVerificationToo() throws {
        let tokens = try TokenServer(on: loop) { _ in ScriptedResponse(headers: [.cacheControl: "max-age=100"]) }
        atTheEnd { tokens.close() }
        let (config, _) = try loggedIn(tokens)
        let folder = try temporaryDirectory().appendingPathComponent("cache").path
        let input = "{\"url\": \"\(tokens.url)/x\"}\n"
        for (words, source) in [([], "miss"), (["-k"], "miss"), (["-k"], "hit"), ([], "hit")] {
            let words = ["run", "--config", config, "--profile", "p", "--cache", folder] + words
            let line = try freshet(words, input: input).objects.first
            XCTAssertEqual(line?["cache"] as? String, source, "\(words)")
        }
    }

    func testAFolderThatCannotBeCreatedEndsTheCommandBeforeTheFirstRequest() throws {
        let url = scripted()
        let result = try freshet("get", url, "--cache", "/dev/null/cache")
        XCTAssertEqual(result.status, 1)
        XCTAssertTrue(result.errorOutput.hasPrefix("freshet: store: "), result.errorOutput)
        XCTAssertEqual(server.requests.count, 0)
        XCTAssertEqual(try freshet("get", url, "--cache", "").status, 2)
        XCTAssertEqual(try freshet("get", url, "--cache", "x", "--cache-size", "0").status, 2)
    }
}
