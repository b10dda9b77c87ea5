import Foundation
import FreshetCore
import FreshetHTTPTesting
import HTTPTypes
import XCTest

@testable import FreshetHTTP

/// Tests that a download resumes where it was interrupted, and nowhere else.
final class ResumedDownloadTests: DownloadTestCase {
    private let tagged: HTTPFields = [.eTag: "\"v1\""]
    private let resumable: (inout DownloadOptions) -> Void = { $0.isResumable = true }

    /// Downloads `hello world` until the connection ends after 5 bytes.
    private func begin(_ headers: HTTPFields? = nil, url: String = "http://a/file") throws {
        transport.enqueue(ScriptedResponse(headers: headers ?? tagged, body: "hello world").truncated(after: 5))
        XCTAssertEqual(try download(url, with: resumable).error?.code, .connectionLost)
    }

    private func part(_ body: String, _ range: String, _ headers: HTTPFields? = nil) -> ScriptedResponse {
        var headers = headers ?? tagged
        headers[.contentRange] = range
        return ScriptedResponse(status: .partialContent, headers: headers, body: body)
    }

    private var last: RecordedRequest? { transport.requests.last }

    func testAResumedDownloadContinuesAtItsOffset() throws {
        try begin()
        XCTAssertEqual(names, ["file.part", "file.part.info"])
        XCTAssertEqual(content("file.part"), "hello")
        XCTAssertEqual(transport.requests.first?.headers[.acceptEncoding], "identity")
        XCTAssertNil(transport.requests.first?.headers[.range])
        transport.enqueue(part(" world", "bytes 5-10/11"))
        let log = try download(with: resumable)
        XCTAssertEqual(last?.headers[.range], "bytes=5-")
        XCTAssertEqual(last?.headers[.ifRange], "\"v1\"")
        XCTAssertEqual(log.progress.map(\.received), [5, 11])
        XCTAssertEqual(log.progress.last?.total, 11)
        XCTAssertEqual(log.file?.size, 11)
        XCTAssertEqual(content(), "hello world")
        XCTAssertEqual(names, ["file"])
    }

    func testAChangedResourceIsDownloadedFromTheStart() throws {
        try begin()
        transport.enqueue(ScriptedResponse(headers: [.eTag: "\"v2\""], body: "other").truncated(after: 3))
        XCTAssertNotNil(try download(with: resumable).error)
        XCTAssertEqual(content("file.part"), "oth")
        transport.enqueue(part("er", "bytes 3-4/5", [.eTag: "\"v2\""]))
        XCTAssertNotNil(try download(with: resumable).file)
        XCTAssertEqual(last?.headers[.ifRange], "\"v2\"")
        XCTAssertEqual(content(), "other")
    }

    func testAPartThatDoesNotMatchIsRefused() throws {
        let misfits = [
            part(" world", "bytes 6-10/11"), part(" world", "bytes 5-10/12"), part(" world", "bytes 5-10"),
            part(" world", "bytes 5-10/11", [.eTag: "\"v2\""]),
            ScriptedResponse(status: .partialContent, headers: tagged, body: " world"),
            ScriptedResponse(status: .rangeNotSatisfiable, headers: [.contentRange: "bytes */7"]),
            ScriptedResponse(status: .rangeNotSatisfiable, headers: [.contentRange: "bytes */5", .eTag: "\"v2\""]),
            ScriptedResponse(status: .rangeNotSatisfiable),
        ]
        for misfit in misfits {
            try begin()
            transport.enqueue(misfit, ScriptedResponse(headers: tagged, body: "hello world"))
            XCTAssertNotNil(try download(with: resumable).file)
            XCTAssertNil(last?.headers[.range])
            XCTAssertEqual(content(), "hello world")
            XCTAssertEqual(names, ["file"])
            try FileManager.default.removeItem(atPath: path)
        }
    }

    func testACompletePartialFileIsMovedToItsPath() throws {
        let unsized = ScriptedResponse(headers: tagged, body: "hello").chunked().failing(
            with: HTTPClientError(.connectionLost, phase: .receiving, message: "gone"), after: 5)
        var response = unsized
        response.headers[.transferEncoding] = "chunked"
        transport.enqueue(response)
        XCTAssertNotNil(try download(with: resumable).error)
        XCTAssertEqual(content("file.part"), "hello")
        transport.enqueue(ScriptedResponse(status: .rangeNotSatisfiable, headers: [.contentRange: "bytes */5"]))
        let log = try download(with: resumable)
        XCTAssertEqual(log.file?.size, 5)
        XCTAssertEqual(content(), "hello")
        XCTAssertEqual(names, ["file"])
    }

    func testAPartWithoutAStrongValidatorIsKeptUntilTheNextDownloadRestarts() throws {
        let date = "Sun, 06 Nov 1994 08:49:37 GMT"
        for headers: HTTPFields in [
            [:], [.eTag: "W/\"v1\""], [.lastModified: date], [.lastModified: date, .date: date],
            [.eTag: "W/\"v1\"", .lastModified: date, .date: "Mon, 07 Nov 1994 08:49:37 GMT"],
            [.eTag: "v1"], [.eTag: "\"v1\"", .acceptRanges: "none"],
        ] {
            try begin(headers)
            XCTAssertEqual(names, ["file.part", "file.part.info"], "\(headers)")
            XCTAssertEqual(content("file.part"), "hello")
            transport.enqueue(ScriptedResponse(headers: headers, body: "hello world"))
            XCTAssertNotNil(try download(with: resumable).file)
            XCTAssertNil(last?.headers[.range])
            XCTAssertEqual(names, ["file"])
            try FileManager.default.removeItem(atPath: path)
        }
        try begin([.lastModified: date, .date: "Mon, 07 Nov 1994 08:49:37 GMT"])
        transport.enqueue(part(" world", "bytes 5-10/*", [.lastModified: date]))
        XCTAssertNotNil(try download(with: resumable).file)
        XCTAssertEqual(last?.headers[.ifRange], date)
    }

    func testAnotherURLOrABrokenRecordRestartsTheDownload() throws {
        for spoil in [
            {}, { self.put("freshet partial file 1\nnonsense", "file.part.info") },
            { self.put("hello world, hello", "file.part") },
        ] {
            try begin(url: "http://a/other?key=secret")
            XCTAssertFalse(content("file.part.info")?.contains("secret") ?? true)
            spoil()
            transport.enqueue(ScriptedResponse(headers: tagged, body: "hello world"))
            XCTAssertNotNil(try download("http://a/file", with: resumable).file)
            XCTAssertNil(last?.headers[.range])
            XCTAssertEqual(content(), "hello world")
        }
    }

    func testAFailureBeforeTheHeadKeepsThePartialFile() throws {
        try begin()
        for response in [.close, ScriptedResponse(status: .serviceUnavailable, body: "later")] {
            transport.enqueue(response)
            XCTAssertNotNil(try download(with: resumable).error)
            XCTAssertEqual(content("file.part"), "hello")
        }
        // Without the option the client leaves the part alone, too.
        transport.enqueue(ScriptedResponse(body: "all of it"))
        XCTAssertNotNil(try download().file)
        XCTAssertEqual(names, ["file", "file.part", "file.part.info"])
    }

    func testThePartOfAnotherDownloadStaysUntilAResponseReplacesIt() throws {
        for leavePart in [{ try self.begin(url: "http://a/other") }, { try self.begin([:]) }] {
            try leavePart()
            let left = names
            for response in [.close, ScriptedResponse(status: .notFound, body: "no")] {
                transport.enqueue(response)
                XCTAssertNotNil(try download(with: resumable).error)
                XCTAssertEqual(content("file.part"), "hello")
                XCTAssertEqual(names, left)
            }
            XCTAssertNil(last?.headers[.range])
            transport.enqueue(ScriptedResponse(headers: tagged, body: "whole"))
            XCTAssertNotNil(try download(with: resumable).file)
            XCTAssertEqual(content(), "whole")
            XCTAssertEqual(names, ["file"])
            try FileManager.default.removeItem(atPath: path)
        }
    }

    func testAFileThatNoDownloadHasLeftIsNotReplaced() throws {
        put("mine", "file.part")
        let error = try download(with: resumable).error
        XCTAssertEqual(error?.code, .invalidRequest)
        XCTAssertTrue(error?.message.hasSuffix("file.part can't be replaced: no download has left it") ?? false)
        XCTAssertEqual(content("file.part"), "mine")
        XCTAssertEqual(names, ["file.part"])
        XCTAssertEqual(transport.requests.count, 0)
    }

    func testDisposingKeepsThePartialFile() throws {
        transport.enqueue(
            ScriptedResponse(headers: tagged, pieces: [Array("hello".utf8), Array(" world".utf8)]).pausing(.seconds(10))
        )
        let (_, subscription) = startDownload(try Request(.get, "http://a/file"), with: resumable)
        scheduler.advanceTo(5)
        // Another download already writes to the part.
        let refused = try download(with: resumable).error
        XCTAssertEqual(refused?.code, .invalidRequest)
        XCTAssertTrue(refused?.message.hasSuffix("can't be written: another download writes it") ?? false)
        transport.enqueue(ScriptedResponse(headers: tagged, body: ""))
        subscription.dispose()
        scheduler.start()
        XCTAssertNotNil(content("file.part") ?? content())
    }

    func testDisposingKeepsAPartThatTheNextDownloadReplacesToo() throws {
        transport.enqueue(
            ScriptedResponse(pieces: [Array("hello".utf8), Array(" world".utf8)]).pausing(.seconds(10)))
        let (_, subscription) = startDownload(try Request(.get, "http://a/file"), with: resumable)
        scheduler.advanceTo(5)
        subscription.dispose()
        scheduler.start()
        XCTAssertEqual(names, ["file.part", "file.part.info"])
        XCTAssertEqual(content("file.part"), "hello")
    }

    func testAPartOfAFileOfUnknownLengthMayNotBeTheRest() throws {
        let loss = HTTPClientError(.connectionLost, phase: .receiving, message: "lost")
        let bytes = Observable.just(Array("hello".utf8)).concat(Observable.error(loss))
        transport.enqueue(.streaming(bytes, headers: tagged))
        XCTAssertEqual(try download(with: resumable).error?.code, .connectionLost)
        transport.enqueue(part(" wo", "bytes 5-7/*"), ScriptedResponse(headers: tagged, body: "hello world"))
        XCTAssertNotNil(try download(with: resumable).file)
        XCTAssertEqual(transport.requests.map { $0.headers[.range] }, [nil, "bytes=5-", nil])
        XCTAssertEqual(content(), "hello world")
    }

    func testALostConnectionIsResumedWhereThatIsConfigured() throws {
        transport.enqueue(
            ScriptedResponse(headers: tagged, body: "hello world").truncated(after: 5), .close,
            part(" world", "bytes 5-10/11").truncated(after: 2), part("orld", "bytes 7-10/11"))
        let log = try download { $0.resumes = 3 }
        XCTAssertEqual(log.resumed, [5, 5, 7])
        XCTAssertEqual(content(), "hello world")
        XCTAssertEqual(names, ["file"])
        XCTAssertEqual(transport.requests.map { $0.headers[.range] }, [nil, "bytes=5-", "bytes=5-", "bytes=7-"])
        XCTAssertGreaterThan(scheduler.clock, 500)

        transport.enqueue(ScriptedResponse(headers: tagged, body: "hello world").truncated(after: 5), .close, .close)
        XCTAssertEqual(try download { $0.resumes = 2 }.error?.code, .connectionLost)
        XCTAssertEqual(names, ["file"])
    }

    func testATimeoutOfAResumedDownloadNamesTheConfiguredTime() throws {
        var headers = tagged
        headers[.contentRange] = "bytes 5-10/11"
        transport.enqueue(
            ScriptedResponse(headers: tagged, body: "hello world").truncated(after: 5),
            ScriptedResponse(status: .partialContent, headers: headers, pieces: [Array(" wor".utf8), Array("ld".utf8)])
                .pausing(.seconds(100)))
        var request = try Request(.get, "http://a/file")
        request.timeout = .seconds(9)
        let (log, subscription) = startDownload(request) { $0.resumes = 3 }
        scheduler.start()
        subscription.dispose()
        let error = log.withLock { $0.error }
        XCTAssertEqual(error?.code, .timeout)
        XCTAssertEqual(error?.message.hasSuffix(" 9.0 seconds"), true, error?.message ?? "")
    }

    func testADownloadThatHasNoTimeToResumeFailsAtOnce() throws {
        transport.enqueue(ScriptedResponse(headers: tagged, body: "hello world").truncated(after: 5))
        var request = try Request(.get, "http://a/file")
        request.timeout = .milliseconds(200)
        let (log, subscription) = startDownload(request) { $0.resumes = 3 }
        scheduler.start()
        subscription.dispose()
        XCTAssertEqual(log.withLock { $0.error?.code }, .connectionLost)
        XCTAssertEqual(log.withLock { $0.resumed }, [])
    }

    func testADownloadThatWaitsBeforeItResumesEndsWithItsClient() throws {
        transport.enqueue(ScriptedResponse(headers: tagged, body: "hello world").truncated(after: 5))
        let client = client()
        let (log, subscription) = startDownload(try Request(.get, "http://a/file"), by: client) { $0.resumes = 3 }
        scheduler.advanceTo(10)
        XCTAssertEqual(log.withLock { $0.resumed }, [5])
        let draining = client.drain().subscribe { _ in }
        scheduler.advanceTo(20)
        XCTAssertEqual(log.withLock { $0.error?.code }, .cancelled)
        subscription.dispose()
        draining.dispose()
        scheduler.start()
    }

    func testADownloadThatCannotBeResumedRestartsWhereThatIsConfigured() throws {
        transport.enqueue(
            ScriptedResponse(body: "hello world").truncated(after: 5), ScriptedResponse(body: "hello there"))
        let log = try download { $0.resumes = 1 }
        XCTAssertEqual(log.resumed, [0])
        XCTAssertEqual(content(), "hello there")
        // A pipe can't be written from its beginning again.
        transport.enqueue(
            ScriptedResponse(pieces: [[UInt8](repeating: 1, count: 1 << 20), [2]]).truncated(after: 1 << 20),
            ScriptedResponse(body: "x"))
        XCTAssertEqual(try download(to: "/dev/null") { $0.resumes = 1 }.error?.code, .cancelled)
    }

    func testOnlyAnUnencodedBodyIsResumed() throws {
        transport.enqueue(ScriptedResponse(headers: [.eTag: "\"v1\"", .contentEncoding: "gzip"], body: "hello"))
        XCTAssertEqual(try download(with: resumable).error?.code, .decoding)
        XCTAssertEqual(names, [])
        XCTAssertEqual(try download(headers: [.range: "bytes=1-"], with: resumable).error?.code, .invalidRequest)
        transport.enqueue(part("ello", "bytes 1-4/5"))
        XCTAssertEqual(try download(with: resumable).error?.code, .protocol)
        transport.enqueue(part("ello", "bytes 1-4/5"))
        XCTAssertEqual(try download().error?.code, .protocol)
        transport.enqueue(part("ello", "bytes 1-4/5"))
        XCTAssertNotNil(try download(headers: [.range: "bytes=1-"]).file)
        XCTAssertEqual(content(), "ello")
    }

    func testTheErrorOfADownloadIsNotUnsentIfAnEarlierRequestOfItWasSent() throws {
        let dead = ScriptedResponse.failure(.connect, in: .connecting, isUnsent: true)
        for (first, isUnsent) in [(ScriptedResponse.reset, false), (dead, true)] {
            transport.enqueue(first, dead)
            XCTAssertEqual(try download { $0.resumes = 1 }.error?.isUnsent, isUnsent)
        }
    }
}
