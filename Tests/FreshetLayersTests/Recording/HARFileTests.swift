import Foundation
import FreshetCore
import FreshetHTTP
import XCTest

@testable import FreshetLayers

final class HARFileTests: XCTestCase {
    private var path = ""

    override func setUp() {
        path = NSTemporaryDirectory() + "freshet-\(UUID().uuidString).har"
    }

    override func tearDown() {
        try? FileManager.default.removeItem(atPath: path)
    }

    private func entry(_ text: String) throws -> HAREntry {
        let json = """
            {"startedDateTime": "2026-11-25T00:00:00.000Z", "time": 1, "request": {"method": "GET", "url": "http://a/",
             "httpVersion": "HTTP/1.1", "cookies": [], "headers": [], "queryString": [], "headersSize": -1, "bodySize": 0},
             "response": {"status": 200, "statusText": "", "httpVersion": "HTTP/1.1", "cookies": [], "headers": [],
             "content": {"size": 1, "mimeType": "text/plain", "text": "\(text)"}, "redirectURL": "", "headersSize": -1,
             "bodySize": -1}, "cache": {}, "timings": {"send": 0, "wait": 1, "receive": 0}, "_chunks": []}
            """
        return try JSONDecoder().decode(HAREntry.self, from: Data(json.utf8))
    }

    private func texts() throws -> [String?] {
        try HARDocument(at: path).log.entries.map(\.response.content.text)
    }

    func testTheFileIsCompleteWhileEntriesAreAppended() throws {
        try HARFile(path, keepsEntries: false, failed: { XCTFail($0) }).append(entry("one"))
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        let file = try HARFile(path, keepsEntries: true, failed: { XCTFail($0) })
        XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: path)), before, "a kill at this moment loses nothing")
        file.append(try entry("two"))
        XCTAssertEqual(try texts(), ["one", "two"])
    }

    func testAKillWithinAnEntryCostsThisEntryAlone() throws {
        try HARFile(path, keepsEntries: false, failed: { XCTFail($0) }).append(entry("one"))
        let one = try Data(contentsOf: URL(fileURLWithPath: path))
        try HARFile(path, keepsEntries: true, failed: { XCTFail($0) }).append(entry("two"))
        let both = try Data(contentsOf: URL(fileURLWithPath: path))
        for size in one.count - 3..<both.count {
            try both.prefix(size).write(to: URL(fileURLWithPath: path))
            let expected = size > both.count - 5 ? ["one", "two"] : ["one"]
            XCTAssertEqual(try texts(), expected, "\(size) bytes")
            try HARFile(path, keepsEntries: true, failed: { XCTFail($0) }).append(entry("three"))
            XCTAssertEqual(try texts(), expected + ["three"], "\(size) bytes")
        }
    }

    /// The write ends at a boundary of a page, and the rest of the old end stays.
    func testAKillAfterTheFirstBytesOfAnEntryLeavesARecording() throws {
        let end = "\n]}}\n"
        for names in [["one"], ["one", "two"]] {
            for count in 1...4 {
                let file = try HARFile(path, keepsEntries: false, failed: { XCTFail($0) })
                for name in names { file.append(try entry(name)) }
                let whole = try Data(contentsOf: URL(fileURLWithPath: path))
                let rest = ",\n{\"".prefix(count) + end.dropFirst(count)
                try (whole.dropLast(end.count) + rest.utf8).write(to: URL(fileURLWithPath: path))
                XCTAssertEqual(try texts(), names, String(rest))
                try HARFile(path, keepsEntries: true, failed: { XCTFail($0) }).append(entry("new"))
                XCTAssertEqual(try texts(), names + ["new"], String(rest))
            }
        }
    }

    func testAMistakeInAWholeRecordingIsAnError() throws {
        try HARFile(path, keepsEntries: false, failed: { XCTFail($0) }).append(entry("one"))
        let text = try String(contentsOfFile: path, encoding: .utf8).replacing(#""status":200"#, with: #""status":1"#)
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        XCTAssertThrowsError(try HARFile(path, keepsEntries: true, failed: { XCTFail($0) }))
        XCTAssertEqual(try String(contentsOfFile: path, encoding: .utf8), text)
    }

    func testAFileThatIsNoRecordingIsNotReplaced() throws {
        let source = Data("print(1)".utf8)
        try source.write(to: URL(fileURLWithPath: path))
        XCTAssertThrowsError(try HARFile(path, keepsEntries: false, failed: { XCTFail($0) })) { error in
            XCTAssertTrue("\(error)".contains("is no recording by Freshet, and would be replaced"), "\(error)")
        }
        XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: path)), source)
    }

    func testAFileThatOnlyBeginsLikeARecordingIsNotReplaced() throws {
        for text in [
            #"{"log":{"level":"debug","entries":"none"},"port":80}"#, #"{"log":"x"}"#, #"{"log""#, " ",
            #"{"log":{"version":"1.2","creator":{"name":"freshet"}}}"#,
            #"{"log":{"version":"1.2","creator":{"name":"Firefox","version":"1"},"entries":[]}}"#,
        ] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            XCTAssertThrowsError(try HARFile(path, keepsEntries: false, failed: { XCTFail($0) }), text)
            XCTAssertEqual(try String(contentsOfFile: path, encoding: .utf8), text)
        }
    }

    func testARecordingIsReplacedAlsoIfItIsEmptyOrCutOrWrittenInAnotherWay() throws {
        try HARFile(path, keepsEntries: false, failed: { XCTFail($0) }).append(entry("one"))
        let own = try String(contentsOfFile: path, encoding: .utf8)
        let other = #"{ "log": {"version": "1.2", "creator": {"name": "freshet", "version": ""}, "entries": [] } }"#
        for text in [own, String(own.dropLast(20)), other, "\u{FEFF}\(other)", ""] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            try HARFile(path, keepsEntries: false, failed: { XCTFail($0) }).append(entry("two"))
            XCTAssertEqual(try texts(), ["two"])
        }
    }

    func testTheErrorNamesTheEntryAndItsMember() throws {
        let document = #"{"log":{"version":"1.2","creator":{"name":"b","version":""},"entries":[ONE, TWO]}}"#
            .replacing("ONE", with: String(decoding: try JSONEncoder().encode(entry("one")), as: UTF8.self))
        let two = String(decoding: try JSONEncoder().encode(entry("two")), as: UTF8.self)
        for (text, member) in [
            (two.replacing(#""method":"GET""#, with: #""m":0"#), "log.entries[1].request.method is missing"),
            (
                two.replacing(#""status":200"#, with: #""status":"ok""#),
                "log.entries[1].response.status has another type"
            ),
            (
                two.replacing(#""text":"two""#, with: #""text":"!!","encoding":"base64""#),
                "log.entries[1].response.content.text is no Base64"
            ),
        ] {
            XCTAssertNotEqual(text, two)
            try Data(document.replacing("TWO", with: text).utf8).write(to: URL(fileURLWithPath: path))
            XCTAssertThrowsError(try HARDocument(at: path)) { error in
                XCTAssertTrue("\(error)".contains("no recording in the HAR format: \(member)"), "\(error)")
            }
        }
    }

    func testAnEntryIsAppendedToADocumentOfAnotherProgram() throws {
        let log = HARDocument.Log(
            version: "1.2", creator: .init(name: "browser", version: "1"), entries: [try entry("one")])
        try JSONEncoder().encode(HARDocument(log: log)).write(to: URL(fileURLWithPath: path))
        let file = try HARFile(path, keepsEntries: true, failed: { XCTFail($0) })
        file.append(try entry("two"))
        XCTAssertEqual(try texts(), ["one", "two"])
    }

    func testSeveralWritersAddToOneFileWithoutLosingAnEntry() throws {
        let files = try (0..<4).map { _ in try HARFile(path, keepsEntries: true, failed: { XCTFail($0) }) }
        let written = (0..<4).flatMap { writer in (0..<50).map { "\(writer)-\($0)" } }
        let entries = try written.map(entry)
        DispatchQueue.concurrentPerform(iterations: 4) { writer in
            for entry in entries[(writer * 50)..<(writer * 50 + 50)] { files[writer].append(entry) }
        }
        XCTAssertEqual(Set(try texts()), Set(written))
        XCTAssertEqual(try texts().count, 200)
    }

    func testAFullDiskIsAnErrorWhenTheFileIsOpened() throws {
        try withFilesLimited(to: 10) {
            XCTAssertThrowsError(try HARFile(path, keepsEntries: false, failed: { XCTFail($0) })) { error in
                XCTAssertEqual((error as? HTTPClientError)?.code, .store)
                XCTAssertTrue("\(error)".contains("\(path) can't be written: File too large"), "\(error)")
            }
        }
    }

    func testALinkLeadsToTheRecording() throws {
        let link = path + ".link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        defer { try? FileManager.default.removeItem(atPath: link) }
        for keepsEntries in [false, true] {
            try HARFile(link, keepsEntries: keepsEntries, failed: { XCTFail($0) }).append(try entry("one"))
        }
        XCTAssertEqual(try HARDocument(at: link).log.entries.count, 2)
        XCTAssertEqual(try texts(), ["one", "one"])
    }

    func testADeviceIsRefusedAsARecording() {
        XCTAssertThrowsError(try HARFile("/dev/full", keepsEntries: false, failed: { XCTFail($0) })) { error in
            XCTAssertTrue("\(error)".contains("/dev/full can't be written: it is not a regular file"), "\(error)")
        }
    }

    func testADiskThatFillsUpIsReportedOnceAndKeepsTheRecordedEntries() throws {
        let failures = Locked<[String]>([])
        let file = try HARFile(path, keepsEntries: false) { failure in failures.withLock { $0.append(failure) } }
        file.append(try entry("one"))
        let size = try Data(contentsOf: URL(fileURLWithPath: path)).count
        try withFilesLimited(to: size + 100) {
            file.append(try entry("two"))
            file.append(try entry("three"))
        }
        XCTAssertEqual(failures.withLock { $0 }, ["nothing is recorded any more: File too large"])
        XCTAssertEqual(try texts(), ["one"])
    }

    /// Lets files grow to `size` bytes alone, as on a disk that is full.
    private func withFilesLimited(to size: Int, _ body: () throws -> Void) throws {
        var limits = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limits)
        let handler = signal(SIGXFSZ, SIG_IGN)
        var lower = limits
        lower.rlim_cur = rlim_t(size)
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &lower)
        defer {
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limits)
            signal(SIGXFSZ, handler)
        }
        try body()
    }
}
