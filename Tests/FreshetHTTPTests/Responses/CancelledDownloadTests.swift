import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests that a download can follow a cancelled one at once. The file work of the cancelled one runs when the test lets it.
final class CancelledDownloadTests: DownloadTestCase {
    private typealias Download = (log: Locked<DownloadLog>, subscription: any Disposable)

    private let files = StalledScheduler()

    private func start(on files: (any ImmediateSchedulerType)? = nil) throws -> Download {
        startDownload(try Request(.get, "http://a/file"), on: files) { $0.isResumable = true }
    }

    /// Starts a download that has received `hello` and then waits for the server.
    private func startStalledDownload() throws -> Download {
        let pieces = [Array("hello".utf8), Array(" world".utf8)]
        transport.enqueue(ScriptedResponse(headers: [.eTag: "\"v1\""], pieces: pieces).pausing(.seconds(10)))
        let download = try start(on: files)
        files.runOne()
        scheduler.advanceTo(5)
        files.runOne()
        return download
    }

    private func enqueueRest() {
        let headers: HTTPFields = [.eTag: "\"v1\"", .contentRange: "bytes 5-10/11"]
        transport.enqueue(ScriptedResponse(status: .partialContent, headers: headers, body: " world"))
    }

    private func assertContinued(_ download: Download, line: UInt = #line) {
        scheduler.start()
        let log = download.log.withLock { $0 }
        XCTAssertNil(log.error, line: line)
        XCTAssertNotNil(log.file, line: line)
        XCTAssertEqual(transport.requests.last?.headers[.range], "bytes=5-", line: line)
        XCTAssertEqual(content(), "hello world", line: line)
        XCTAssertEqual(names, ["file"], line: line)
    }

    func testADownloadContinuesThePartThatACancelledOneReleasesLater() throws {
        try startStalledDownload().subscription.dispose()
        let next = try start()
        scheduler.start()
        XCTAssertNil(next.log.withLock { $0.error })
        XCTAssertEqual(transport.requests.count, 1)
        enqueueRest()
        while files.runOne() {}
        assertContinued(next)
    }

    /// As `take(1)` does: it completes, and then disposes of its source.
    func testADownloadContinuesThePartOfOneThatIsLeftJustAfterIt() throws {
        let first = try startStalledDownload()
        let (left, next) = (try start(), try start())
        scheduler.advanceBy(100)
        left.subscription.dispose()
        first.subscription.dispose()
        enqueueRest()
        // A slow disk: the first closes its part after the time for which the next one tries to open it.
        scheduler.advanceBy(1000)
        while files.runOne() {}
        assertContinued(next)
    }

    func testADownloadFollowsOneThatWasCancelledWhileItWaited() throws {
        try startStalledDownload().subscription.dispose()
        try start(on: files).subscription.dispose()
        let last = try start()
        scheduler.start()
        enqueueRest()
        while files.runOne() {}
        assertContinued(last)
    }

    func testADownloadFollowsOneThatWasCancelledBeforeItHadOpenedItsPart() throws {
        try start(on: files).subscription.dispose()
        let next = try start()
        scheduler.start()
        XCTAssertEqual(transport.requests.count, 0)
        while files.runOne() {}
        transport.enqueue(ScriptedResponse(body: "hello"))
        scheduler.start()
        XCTAssertNotNil(next.log.withLock { $0.file })
        XCTAssertEqual(content(), "hello")
    }

    func testADownloadFollowsACancelledOneWhoseFileWorkIsDropped() throws {
        try startStalledDownload().subscription.dispose()
        let next = try start()
        scheduler.start()
        XCTAssertEqual(transport.requests.count, 1)
        // The piece that was not written is lost.
        transport.enqueue(ScriptedResponse(body: "whole"))
        files.drop()
        scheduler.start()
        XCTAssertNil(next.log.withLock { $0.error })
        XCTAssertEqual(content(), "whole")
    }

    func testADownloadThatRunsStillKeepsAnotherFromItsPart() throws {
        let running = try startStalledDownload()
        let refused = try start()
        scheduler.advanceBy(400)
        XCTAssertNil(refused.log.withLock { $0.error })
        scheduler.advanceBy(200)
        XCTAssertEqual(refused.log.withLock { $0.error?.code }, .invalidRequest)
        refused.subscription.dispose()
        running.subscription.dispose()
        let next = try start()
        scheduler.start()
        enqueueRest()
        while files.runOne() {}
        assertContinued(next)
    }
}
