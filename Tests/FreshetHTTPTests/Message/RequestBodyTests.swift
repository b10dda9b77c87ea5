import Foundation
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

final class RequestBodyTests: XCTestCase {
    private var resources = 0
    private let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
    private var directory = URL(fileURLWithPath: "/")

    override func setUpWithError() throws {
        resources = Resources.total
        directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    override func tearDownWithError() throws {
        try FileManager.default.removeItem(at: directory)
        XCTAssertEqual(Resources.total, resources)
    }

    private func file(_ name: String, _ text: String) throws -> String {
        let url = directory.appendingPathComponent(name)
        try Data(text.utf8).write(to: url)
        return url.path
    }

    private func sent(_ body: RequestBody, headers: HTTPFields = [:]) throws -> RecordedRequest {
        let api = StubTransport()
        api.enqueue(ScriptedResponse())
        let client = HTTPClient(transport: api, scheduler: scheduler)
        let result = Locked<Result<Response, any Error>?>(nil)
        let request = try Request(.post, "https://h/x", headers: headers, body: body)
        let subscription = client.send(request).subscribe { ending in result.withLock { $0 = ending } }
        defer { subscription.dispose() }
        _ = try XCTUnwrap(result.withLock { $0 }).get()
        return try XCTUnwrap(api.requests.first)
    }

    func testADisposedFileIsNotRead() throws {
        let body = RequestBody.file(try file("a", "0123456789"))
        guard case .source(let source) = body else { return XCTFail("no source") }
        let pieces = Locked(0)
        let stream = source.open(blockingOn: scheduler).do(onNext: { _ in pieces.withLock { $0 += 1 } })
        stream.subscribe().dispose()
        scheduler.start()
        XCTAssertEqual(pieces.withLock { $0 }, 0)
    }

    private func refusal(_ body: RequestBody) -> HTTPClientError? {
        do {
            let recorded = try sent(body)
            XCTFail("it was sent: \(recorded)")
            return nil
        } catch {
            return error as? HTTPClientError
        }
    }

    func testABodySetsItsContentTypeUnlessTheHeadersDo() throws {
        XCTAssertNil(try sent(.bytes([1])).headers[.contentType])
        XCTAssertEqual(try sent(.text("é")).headers[.contentType], "text/plain; charset=utf-8")
        XCTAssertEqual(try sent(.form([("a", "b c")])).headers[.contentType], "application/x-www-form-urlencoded")
        let json = try sent(.json(["a": 1]))
        XCTAssertEqual(json.headers[.contentType], "application/json")
        XCTAssertEqual(json.text, #"{"a":1}"#)
        XCTAssertEqual(try sent(.text("{}"), headers: [.contentType: "x/y"]).headers[.contentType], "x/y")
    }

    func testTextIsEncodedInTheCharsetOfItsContentType() throws {
        XCTAssertEqual(try RequestBody.text("aé€", charset: .windows1252).bytes, [0x61, 0xE9, 0x80])
        XCTAssertEqual(
            try RequestBody.text("é", charset: .windows1252).contentType, "text/plain; charset=windows-1252")
        XCTAssertEqual(try RequestBody.text("aé", charset: .utf16BigEndian).bytes, [0, 0x61, 0, 0xE9])
        XCTAssertEqual(try RequestBody.text("aé", charset: .utf16LittleEndian).bytes, [0x61, 0, 0xE9, 0])
        XCTAssertEqual(try RequestBody.text("é", charset: .utf8), .text("é"))
        XCTAssertThrowsError(try RequestBody.text("Ω", charset: .windows1252))
        let text = "Ωfresh €uro 😀"
        for charset in [Charset.utf8, .utf16BigEndian, .utf16LittleEndian] {
            XCTAssertEqual(charset.encode(text).map { charset.decode($0) }, text)
            XCTAssertEqual(Charset(label: charset.name), charset)
        }
    }

    func testAValueThatJSONCannotRepresentIsRefused() {
        XCTAssertThrowsError(try RequestBody.json([Double.infinity])) { error in
            XCTAssertEqual((error as? HTTPClientError)?.code, .invalidRequest)
        }
    }

    func testAFileIsSentWhollyOrInPart() throws {
        let path = try file("a", "0123456789")
        XCTAssertEqual(RequestBody.file(path).length, 10)
        XCTAssertEqual(try sent(.file(path)).text, "0123456789")
        XCTAssertEqual(try sent(.file(path, range: 2..<5)).text, "234")
        XCTAssertEqual(try sent(.file(path, range: 4..<4)).text, "")
        XCTAssertEqual(try sent(.file("/dev/null")).text, "", "a device has no known length")
        let large = String(repeating: "0123456789abcdef", count: 20_000)
        XCTAssertEqual(try sent(.file(try file("large", large))).text, large)
    }

    func testAFileOfTheKernelIsSentWhollyAlthoughItsSizeIsNotThatOfItsContent() throws {
        let version = try String(contentsOfFile: "/proc/version", encoding: .utf8)
        let body = RequestBody.file("/proc/version")
        XCTAssertNil(body.length)
        for _ in 0..<2 { XCTAssertEqual(try sent(body).text, version) }
        let order = "/sys/kernel/cpu_byteorder"
        if FileManager.default.fileExists(atPath: order) {
            XCTAssertEqual(try sent(.file(order)).text, try String(contentsOfFile: order, encoding: .utf8))
        }
        XCTAssertEqual(RequestBody.file(try file("empty", "")).length, 0)
    }

    func testAFileThatCannotBeReadIsRefusedBeforeAnythingIsSent() throws {
        for body in [
            RequestBody.file("/nowhere/at/all"), .file(directory.path), .file(try file("short", "abc"), range: 0..<4),
            .file(try file("secret", "abc") + "\0.png"),
        ] {
            XCTAssertEqual(refusal(body)?.code, .invalidRequest)
        }
    }

    func testEachRequestSendsTheFileThatIsThereThen() throws {
        let path = try file("state", "0123456789")
        let whole = RequestBody.file(path)
        let part = RequestBody.file(path, range: 0..<10)
        var form = MultipartForm()
        form.append("state", file: path, contentType: "text/plain")
        let multipart = RequestBody.multipart(form)
        for text in ["0123456789 and more", "0123", "", "0123456789"] {
            _ = try file("state", text)
            XCTAssertEqual(try sent(whole).text, text)
            XCTAssertEqual(try sent(multipart).text.split(separator: "\r\n\r\n").last?.hasPrefix(text), true)
            if text.utf8.count < 10 {
                XCTAssertEqual(refusal(part)?.code, .invalidRequest)
            } else {
                XCTAssertEqual(try sent(part).text, "0123456789")
            }
        }
    }

    func testACheckedBodyIsTheSameUnlessAFileHasAnotherSize() throws {
        let path = try file("state", "0123456789")
        let body = RequestBody.file(path)
        let request = try Request(.post, "https://h/x", body: body)
        XCTAssertEqual(try request.checked().body, body)
        _ = try file("state", "0123")
        XCTAssertEqual(try request.checked().body.length, 4)
        XCTAssertEqual(body.length, 10)
    }

    func testAFileThatGrowsAfterTheCheckIsSentUpToItsSizeThenAndOneThatShrinksFails() throws {
        let path = try file("log", "0123456789")
        guard case .source(let source) = try Request(.post, "https://h/x", body: .file(path)).checked().body else {
            return XCTFail("no source")
        }
        _ = try file("log", "0123456789 and more")
        XCTAssertEqual(try read(source), Array("0123456789".utf8))
        _ = try file("log", "0123")
        XCTAssertThrowsError(try read(source)) { XCTAssertEqual(($0 as? HTTPClientError)?.code, .invalidRequest) }
    }

    private func read(_ source: RequestBodySource) throws -> [UInt8] {
        let result = Locked<Result<[UInt8], any Error>>(.success([]))
        source.open().subscribe(
            onNext: { piece in result.withLock { $0 = $0.map { $0 + piece } } },
            onError: { error in result.withLock { $0 = .failure(error) } }
        ).dispose()
        return try result.withLock { try $0.get() }
    }

    func testAStreamWithAnotherLengthThanAnnouncedIsRefused() throws {
        let pieces = Observable<[UInt8]>.of([1, 2], [], [3])
        XCTAssertEqual(try sent(.stream(pieces, length: 3)).body, [1, 2, 3])
        XCTAssertEqual(try sent(.stream(pieces)).body, [1, 2, 3])
        XCTAssertTrue(try XCTUnwrap(refusal(.stream(pieces, length: 4))).message.contains("3 of the 4 bytes"))
        XCTAssertTrue(try XCTUnwrap(refusal(.stream(pieces, length: 2))).message.contains("more than the 2 bytes"))
    }

    func testAStreamIsReadOnceUnlessItIsReplayable() throws {
        let once = RequestBody.stream(.just([1]))
        XCTAssertEqual(try sent(once).body, [1])
        XCTAssertEqual(refusal(once)?.code, .invalidRequest)
        let often = RequestBody.stream(.just([1]), isReplayable: true)
        XCTAssertEqual(try sent(often).body, [1])
        XCTAssertEqual(try sent(often).body, [1])
    }

    func testARequestWithAStreamedBodyIsOneShotUnlessItIsReplayable() throws {
        var request = try Request(.put, "https://h/", body: .stream(.just([1])))
        XCTAssertTrue(request.isOneShot)
        request.isOneShot = false
        XCTAssertTrue(request.isOneShot, "nobody can have the body twice")
        request.body = .bytes([1])
        XCTAssertFalse(request.isOneShot)
    }

    func testEqualBodiesInMemoryCompareEqual() {
        XCTAssertEqual(RequestBody.text("a"), .text("a"))
        XCTAssertEqual(RequestBody.text("a").hashValue, RequestBody.text("a").hashValue)
        XCTAssertNotEqual(RequestBody.text("a"), .bytes([0x61], contentType: "x/y"))
        let stream = RequestBody.stream(.empty())
        XCTAssertEqual(stream, stream)
        XCTAssertNotEqual(stream, .stream(.empty()))
    }

    func testAFileIsReadOnlyAsFarAsItsReaderConsumes() throws {
        let path = try file("large", String(repeating: "x", count: 1_000_000))
        guard case .source(let source) = RequestBody.file(path) else { return XCTFail("a file is a source") }
        let taken = Locked(0)
        let subscription = source.open().subscribe(onNext: { piece in taken.withLock { $0 += piece.count } })
        XCTAssertEqual(taken.withLock { $0 }, 1_000_000)
        subscription.dispose()
        taken.withLock { $0 = 0 }
        let held = SingleAssignmentDisposable()
        held.setDisposable(
            source.open(blockingOn: scheduler).subscribe(onNext: { piece in
                taken.withLock { $0 += piece.count }
                held.pause()
            }))
        scheduler.start()
        XCTAssertEqual(taken.withLock { $0 }, 65_536)
        held.resume()
        scheduler.start()
        XCTAssertEqual(taken.withLock { $0 }, 131_072)
        held.dispose()
        scheduler.start()
        XCTAssertEqual(taken.withLock { $0 }, 131_072)
    }
}
