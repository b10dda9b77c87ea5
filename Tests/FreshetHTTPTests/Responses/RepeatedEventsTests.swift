import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests operators on the events of a request that the operator `retry` has sent again. Such a stream has several heads.
final class RepeatedEventsTests: DownloadTestCase {
    /// Events of a response that is lost in its middle, and of the whole response to the second request.
    private func events(_ lost: ScriptedResponse, _ whole: ScriptedResponse) throws -> Observable<RequestEvent> {
        transport.enqueue(lost, whole)
        return client().events(try Request(.get, "http://a/")).retry(2)
    }

    private func elements<Element: Sendable>(of stream: Observable<Element>) -> [Element] {
        let elements = Locked<[Element]>([])
        let subscription = stream.subscribe(onNext: { element in elements.withLock { $0.append(element) } })
        scheduler.start()
        subscription.dispose()
        return elements.withLock { $0 }
    }

    func testASavedFileHasNoBytesOfTheResponseThatWasLost() throws {
        let lost = ScriptedResponse(body: "old content").truncated(after: 5)
        let request = try Request(.get, "http://a/")
        let saved = try events(lost, ScriptedResponse(body: "new")).saved(to: path, request: request, on: scheduler)
        let files = elements(of: saved).compactMap { if case .finished(let file) = $0 { file } else { nil } }
        XCTAssertEqual(files.map(\.size), [3])
        XCTAssertEqual(content(), "new")
    }

    func testASavedFileHasNoBytesOfTheLostResponseThatAreBeingWritten() throws {
        let long = String(repeating: "a", count: 700_000)
        let disk = StalledScheduler()
        let request = try Request(.get, "http://a/")
        let subscription = try events(
            ScriptedResponse(pieces: [Array(long.utf8), Array("tail".utf8), [1]]).truncated(after: 700_004),
            ScriptedResponse(body: "new")
        ).saved(to: path, request: request, on: disk).subscribe()
        disk.runOne()
        scheduler.start()
        while disk.runOne() {}
        scheduler.start()
        while disk.runOne() {}
        subscription.dispose()
        XCTAssertEqual(content(), "new")
    }

    func testALineDoesNotBeginInTheResponseThatWasLost() throws {
        let lines = try events(
            ScriptedResponse(body: "one\ntwo\n").truncated(after: 6), ScriptedResponse(body: "\u{FEFF}one\ntwo\n"))
        XCTAssertEqual(elements(of: lines.lines()), ["one", "one", "two"])
    }
}
