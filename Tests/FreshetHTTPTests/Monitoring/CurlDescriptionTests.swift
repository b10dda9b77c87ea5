import Foundation
import FreshetCore
import FreshetHTTP
import HTTPTypes
import XCTest

final class CurlDescriptionTests: XCTestCase {
    /// The words after `curl` that a shell passes for the command, and the standard input that curl would read.
    private func run(_ command: String) throws -> (words: [String], input: [UInt8]) {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = [
            "-c",
            """
            curl() { for word; do printf '%s\\000' "$word"; done; printf '\\000'; [ -t 0 ] || cat; }
            \(command)
            """,
        ]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        try process.run()
        let bytes = [UInt8](output.fileHandleForReading.readDataToEndOfFile())
        process.waitUntilExit()
        XCTAssertEqual(process.terminationStatus, 0, command)
        var words: [String] = []
        var rest = bytes[...]
        while let end = rest.firstIndex(of: 0), end > rest.startIndex || words.last?.isEmpty == false {
            if end == rest.startIndex { break }
            words.append(String(decoding: rest[..<end], as: UTF8.self))
            rest = rest[(end + 1)...]
        }
        return (words, Array(rest.dropFirst()))
    }

    func testASimpleRequestIsASimpleCommand() throws {
        XCTAssertEqual(
            try Request(.get, "http://a/x", headers: [.accept: "text/html"]).curlDescription,
            "curl --compressed -H 'Accept: text/html' -A freshet/\(HTTPClient.version) http://a/x")
        XCTAssertEqual(
            try Request(.get, "http://a/x", headers: [.range: "bytes=0-9"]).curlDescription,
            "curl -H 'Accept-Encoding: identity' -H 'Range: bytes=0-9' -A freshet/\(HTTPClient.version) http://a/x")
    }

    func testSecretsAreMaskedUnlessTheyAreRevealed() throws {
        let request = try Request(
            .post, "https://a/x?key=s3cret&s3cret",
            headers: [.authorization: "Bearer s3cret", .cookie: "s3cret", HTTPField.Name("X-Api-Key")!: "s3cret"],
            body: .text("s3cret"))
        XCTAssertFalse(request.curlDescription.contains("s3cret"), request.curlDescription)
        XCTAssertTrue(request.curlDescription.contains("Authorization: REDACTED"))
        XCTAssertTrue(request.curlDescription.contains("'https://a/x?key=REDACTED&REDACTED'"))
        XCTAssertTrue(request.curlDescription.contains("<6 bytes>"))
        let attempt = Attempt(request: request, original: request, number: 1, outcome: .failure(RxError.unknown))
        XCTAssertEqual(attempt.curlDescription, request.curlDescription)
        let revealed = try run(request.curlDescription(revealingSecrets: true)).words
        XCTAssertTrue(revealed.contains("Authorization: Bearer s3cret"))
        XCTAssertEqual(revealed.suffix(3), ["--data-raw", "s3cret", "https://a/x?key=s3cret&s3cret"])
    }

    func testMethodsAndBodiesAreDescribed() throws {
        func words(_ method: HTTPRequest.Method, _ body: RequestBody = .empty) throws -> [String] {
            try run(Request(method, "http://a/", body: body).curlDescription(revealingSecrets: true)).words.filter {
                $0 != "--compressed" && $0 != "-A" && $0 != "freshet/\(HTTPClient.version)"
            }
        }
        XCTAssertEqual(try words(.head), ["--head", "http://a/"])
        XCTAssertEqual(try words(.delete), ["-X", "DELETE", "http://a/"])
        XCTAssertEqual(
            try words(.put, .bytes(Array("@a".utf8))),
            ["-X", "PUT", "-H", "Content-Type:", "--data-raw", "@a", "http://a/"])
        XCTAssertEqual(
            try words(.post, .file("/tmp/it's", contentType: "text/css")),
            ["-X", "POST", "-H", "Content-Type: text/css", "-H", "Expect:", "--data-binary", "@/tmp/it's", "http://a/"])
        XCTAssertEqual(
            try run(Request(.put, "http://a/b", body: .file("a[1-2].txt")).curlDescription(revealingSecrets: true))
                .words
                .suffix(4), ["-T", "a[1-2].txt", "--globoff", "http://a/b"])
        XCTAssertEqual(
            try words(.post, .stream(.empty())),
            ["-X", "POST", "-H", "Content-Type:", "-H", "Expect:", "-T", "-", "http://a/"])
    }

    /// curl waits a second for a server that ignores its expectation.
    func testAnUploadExpects100OnlyIfTheRequestDoes() throws {
        var request = try Request(.put, "http://a/b", body: .file("c"))
        XCTAssertTrue(request.curlDescription.contains(" -H Expect: -T c "), request.curlDescription)
        var options = TransferOptions()
        options.expectsContinue = .seconds(2)
        request.transfer = options
        XCTAssertFalse(request.curlDescription.contains("Expect"), request.curlDescription)
        request.transfer = nil
        request.headers[.expect] = "100-continue"
        XCTAssertFalse(request.curlDescription.contains("-H Expect: "), request.curlDescription)
        XCTAssertTrue(request.curlDescription.contains("-H 'Expect: 100-continue' "), request.curlDescription)
    }

    func testAFieldWithoutAValueIsDescribedAndGlobbingIsDisabled() throws {
        let words = try run(
            Request(.get, "http://[::1]/?a=[1-2]", headers: [.accept: "", .acceptEncoding: ""])
                .curlDescription(revealingSecrets: true)
        ).words
        XCTAssertTrue(words.contains("Accept:"))
        XCTAssertTrue(words.contains("Accept-Encoding;"))
        XCTAssertTrue(words.contains("--globoff"))
        XCTAssertEqual(words.last, "http://[::1]/?a=[1-2]")
    }

    func testAllCookiesAreDescribedAsOneField() throws {
        var request = try Request(.get, "http://a/")
        request.headers[.cookie] = "a=1; b=2"
        let words = try run(request.curlDescription(revealingSecrets: true)).words
        XCTAssertEqual(words.filter { $0.hasPrefix("Cookie") }, ["Cookie: a=1; b=2"])
    }

    func testOptionsOfTheTransferAreDescribed() throws {
        var request = try Request(.get, "http://a/")
        request.timeout = .microseconds(500)
        XCTAssertTrue(request.curlDescription.contains("--max-time 0.001 "), "0 would be no limit")
        for none in [Duration.zero, .seconds(-1), .milliseconds(-1)] {
            request.timeout = none
            XCTAssertTrue(request.curlDescription.contains("--max-time 0.001 "), request.curlDescription)
        }
        request.timeout = .milliseconds(1050)
        var transfer = TransferOptions()
        transfer.version = .http2
        transfer.connectTimeout = .seconds(3)
        request.transfer = transfer
        XCTAssertTrue(
            request.curlDescription.contains("--http2 --max-time 1.050 --connect-timeout 3"), request.curlDescription)
    }

    func testEveryByteOfABodySurvivesTheShell() throws {
        let all = (0...255).map { UInt8($0) } + Array("%s %% \\n \\0".utf8)
        let request = try Request(.post, "http://a/", body: .bytes(all))
        let (words, input) = try run(request.curlDescription(revealingSecrets: true))
        XCTAssertEqual(input, all)
        XCTAssertEqual(words.suffix(3), ["--data-binary", "@-", "http://a/"])
    }

    func testEveryTextSurvivesTheShell() throws {
        for text in [
            "it's", "'", "''", "\"$HOME\" `id` $(id) \\ !x", "a\nb\n\n", "\t", "~", "*", "#", "ü 漢 e\u{301}",
            "'\u{301}",
            "-x", "@file", "a;b&c|d>e", "%20",
        ] {
            let request = try Request(.post, "http://a/", body: .text(text))
            let words = try run(request.curlDescription(revealingSecrets: true)).words
            XCTAssertEqual(words.suffix(3), ["--data-raw", text, "http://a/"])
        }
    }

    func testALargeBodyIsDescribedByItsSize() throws {
        let request = try Request(.post, "http://a/", body: .bytes(Array(repeating: 65, count: 100)))
        XCTAssertTrue(request.curlDescription(revealingSecrets: true, bodyLimit: 99).contains("'<100 bytes>'"))
        XCTAssertFalse(request.curlDescription(revealingSecrets: true, bodyLimit: 100).contains("bytes>"))
    }

    /// Calls `body` with the path of a file that has all bytes.
    private func withFile(_ body: (String, [UInt8]) throws -> Void) throws {
        let path = NSTemporaryDirectory() + "it's [1] \(UUID().uuidString)"
        let content = (0...255).map { UInt8($0) }
        XCTAssertTrue(FileManager.default.createFile(atPath: path, contents: Data(content)))
        defer { try? FileManager.default.removeItem(atPath: path) }
        try body(path, content)
    }

    func testAFormWithFilesIsWrittenToCurlByteForByte() throws {
        try withFile { path, content in
            var form = MultipartForm(boundary: "--it's")
            form.append("title", "s3cret %d \\n")
            form.append("photo", file: path)
            form.append("piece", .file(path, range: 5..<9))
            let request = try Request(.post, "http://a/", body: .multipart(form))
            guard case .source(let source) = request.body else { return XCTFail("no source") }
            let sent = Locked<[UInt8]>([])
            source.open().subscribe(onNext: { piece in sent.withLock { $0 += piece } }).dispose()
            let (words, input) = try run(request.curlDescription(revealingSecrets: true))
            XCTAssertEqual(input, sent.withLock { $0 })
            XCTAssertGreaterThan(input.count, content.count)
            XCTAssertEqual(words.suffix(3), ["--data-binary", "@-", "http://a/"])
            for command in [
                request.curlDescription, request.curlDescription(revealingSecrets: true, bodyLimit: 99),
            ] {
                XCTAssertTrue(command.contains("--data-raw '<\(input.count) bytes>'"), command)
                XCTAssertFalse(command.contains("s3cret"), command)
            }
        }
    }

    func testARangeOfAFileIsReadFromTheFile() throws {
        try withFile { path, content in
            for range in [5..<9, 0..<4, 0..<256] {
                let request = try Request(.put, "http://a/b", body: .file(path, range: range))
                let (words, input) = try run(request.curlDescription)
                XCTAssertEqual(input, Array(content[range]))
                XCTAssertEqual(words.suffix(3), ["--data-binary", "@-", "http://a/b"])
            }
        }
    }

    func testAStreamInAFormIsReadFromStandardInput() throws {
        var form = MultipartForm(boundary: "b")
        form.append("log", .stream(.empty()))
        let request = try Request(.post, "http://a/", body: .multipart(form))
        let command = request.curlDescription(revealingSecrets: true)
        XCTAssertTrue(command.contains("; cat; "), command)
        XCTAssertEqual(try run(command).words.suffix(3), ["-T", "-", "http://a/"])
        XCTAssertEqual(try run(request.curlDescription).words.suffix(3), ["-T", "-", "http://a/"])
    }
}
