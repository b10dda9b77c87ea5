import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests that a part of another length than announced never becomes a part of the file.
final class MisfitPartTests: DownloadTestCase {
    private let tagged: HTTPFields = [.eTag: "\"v1\""]
    private let resumable: (inout DownloadOptions) -> Void = { $0.isResumable = true }

    /// Leaves `hello` of `hello world`.
    private func begin() throws {
        transport.enqueue(ScriptedResponse(headers: tagged, body: "hello world").truncated(after: 5))
        XCTAssertEqual(try download(with: resumable).error?.code, .connectionLost)
    }

    private func headers(_ range: String, length: Int? = nil) -> HTTPFields {
        var headers = tagged
        headers[.contentRange] = range
        headers[.contentLength] = length.map(String.init)
        return headers
    }

    private func part(_ body: String, _ range: String) -> ScriptedResponse {
        ScriptedResponse(status: .partialContent, headers: headers(range), body: body)
    }

    /// A part in chunks, which has no `Content-Length`.
    private func stream(_ body: String, _ range: String) -> ScriptedResponse {
        .streaming(.of(Array(body.utf8)), status: .partialContent, headers: headers(range))
    }

    func testAPartWhoseLengthContradictsItsRangeStartsTheDownloadOver() throws {
        for misfit in [part(" world and more", "bytes 5-10/11"), part(" wo", "bytes 5-10/11")] {
            try begin()
            transport.enqueue(misfit, ScriptedResponse(headers: tagged, body: "hello there"))
            let log = try download(with: resumable)
            XCTAssertEqual(log.file?.size, 11)
            XCTAssertEqual(content(), "hello there")
            XCTAssertEqual(transport.requests.suffix(2).map { $0.headers[.range] }, ["bytes=5-", nil])
        }
    }

    func testAPartThatIsLongerThanItsRangeStartsTheDownloadOver() throws {
        for misfit in [stream(" world and more", "bytes 5-10/11"), stream(" world", "bytes 5-7/11")] {
            try begin()
            transport.enqueue(misfit, ScriptedResponse(headers: tagged, body: "hello there"))
            let log = try download(with: resumable)
            XCTAssertEqual(log.file?.size, 11)
            XCTAssertEqual(content(), "hello there")
            XCTAssertEqual(log.progress.last?.received, 11)
            XCTAssertEqual(names, ["file"])
            XCTAssertEqual(transport.requests.suffix(2).map { $0.headers[.range] }, ["bytes=5-", nil])
        }
    }

    /// Source: RFC 9110 section 15.3.7.
    func testACompletePartThatIsShorterThanTheRestIsContinuedAtOnce() throws {
        try begin()
        transport.enqueue(part(" wo", "bytes 5-7/11"), part("r", "bytes 8-8/11"), part("ld", "bytes 9-10/11"))
        let start = scheduler.clock
        let log = try download(with: resumable)
        XCTAssertNil(log.error)
        XCTAssertEqual(log.resumed, [])
        XCTAssertLessThan(scheduler.clock - start, 100, "no delay")
        XCTAssertEqual(content(), "hello world")
        XCTAssertEqual(transport.requests.map { $0.headers[.range] }, [nil, "bytes=5-", "bytes=8-", "bytes=9-"])
    }

    func testAPartThatEndsBeforeItsRangeIsALostConnection() throws {
        try begin()
        transport.enqueue(stream(" wo", "bytes 5-10/11"))
        XCTAssertEqual(try download(with: resumable).error?.code, .connectionLost)
        XCTAssertEqual(content("file.part"), "hello wo")
    }

    func testTheErrorOfARefusedResumeNamesThePartThatIsKept() throws {
        try begin()
        transport.enqueue(ScriptedResponse(status: .serviceUnavailable))
        let message = try download(with: resumable).error?.message ?? ""
        XCTAssertTrue(message.hasSuffix("and the part of 5 bytes is kept in \(path).part"), message)
        XCTAssertEqual(content("file.part"), "hello")
        // Without an earlier part, nothing is kept.
        transport.enqueue(ScriptedResponse(status: .serviceUnavailable))
        let other = try download(to: folder + "/other", with: resumable).error?.message ?? ""
        XCTAssertTrue(other.hasSuffix("and nothing was written"), other)
    }

    func testAPathThatCannotBeWrittenFailsBeforeTheRequest() throws {
        let longName = folder + "/" + String(repeating: "n", count: 250)
        for path in ["", longName] {
            let error = try download(to: path, with: resumable).error
            XCTAssertEqual(error?.code, .invalidRequest)
        }
        XCTAssertEqual(try download(to: "").error?.code, .invalidRequest)
        XCTAssertEqual(transport.requestCount, 0)
        XCTAssertEqual(names, [])
    }
}
