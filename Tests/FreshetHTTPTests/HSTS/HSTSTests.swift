import Foundation
import FreshetCore
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

@testable import FreshetHTTP

/// Tests HSTS. Source: RFC 6797, and the failures of curl that the comments name.
final class HSTSTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    private func list(_ field: String, from host: String = "a.example") -> HSTSList {
        var list = HSTSList()
        _ = list.learn([HTTPField.Name("Strict-Transport-Security")!: field], from: host, at: 1000)
        return list
    }

    func testAnEntryLastsForMaxAgeAndIncludesSubdomainsOnRequest() {
        let alone = list("max-age=100")
        XCTAssertTrue(alone.contains("A.example", at: 1099))
        XCTAssertTrue(alone.contains("a.example.", at: 1099), "CVE-2022-30115")
        XCTAssertFalse(alone.contains("a.example", at: 1100))
        XCTAssertFalse(alone.contains("b.a.example", at: 1000))
        let all = list(#"includeSubDomains; max-age="100"; preload"#)
        XCTAssertTrue(all.contains("c.b.a.example", at: 1000))
        XCTAssertFalse(all.contains("ba.example", at: 1000))
        XCTAssertFalse(all.contains("example", at: 1000))
    }

    func testAMalformedFieldIsIgnored() {
        for field in [
            "", "includeSubDomains", "max-age", "max-age=", "max-age=-1", "max-age=x", "max-age=1; max-age=2",
        ] {
            XCTAssertEqual(list(field), HSTSList(), field)
        }
        XCTAssertEqual(list("max-age=100", from: "127.0.0.1"), HSTSList(), "curl#7146")
        XCTAssertEqual(list("max-age=100", from: "[::1]"), HSTSList())
    }

    /// Source: RFC 6797 section 6.1: the value of an unknown directive can be a quoted string.
    func testAQuotedStringHoldsNoDirective() {
        let quoted = list(#"max-age=100; x="\"; includeSubDomains; max-age=0""#)
        XCTAssertTrue(quoted.contains("a.example", at: 1099))
        XCTAssertFalse(quoted.contains("b.a.example", at: 1000))
        for field in [#"x="max-age=100""#, #"x=";max-age=100""#, "max-age=1 0", "max -age=10", #"max-age="10"#] {
            XCTAssertEqual(list(field), HSTSList(), field)
        }
        XCTAssertTrue(list("max-age = 100 ;; includeSubDomains ;").contains("b.a.example", at: 1099))
    }

    func testTheTimeToReadAFieldIsLinear() {
        let blanks = String(repeating: " ", count: 100_000)
        for field in ["max-age=1;\(blanks)\"", "max-age=1; x=\(blanks)\"", "max-age=1; x\(blanks)\""] {
            XCTAssertEqual(list(field), HSTSList())
        }
        let semicolons = String(repeating: ";", count: 100_000)
        XCTAssertTrue(list("max-age=1\(semicolons)\(blanks)includeSubDomains").contains("b.a.example", at: 1000))
    }

    func testAMaxAgeOfZeroRemovesTheHostAndNotItsParent() {
        var known = list("max-age=100; includeSubDomains")
        let name = HTTPField.Name("Strict-Transport-Security")!
        _ = known.learn([name: "max-age=50"], from: "b.a.example", at: 1000)
        XCTAssertTrue(known.contains("a.example", at: 1099), "CVE-2024-9681")
        _ = known.learn([name: "max-age=0"], from: "b.a.example", at: 1000)
        XCTAssertTrue(known.contains("b.a.example", at: 1000), "by its parent")
        _ = known.learn([name: "max-age=0"], from: "a.example", at: 1000)
        XCTAssertFalse(known.contains("a.example", at: 1000))
    }

    func testAFileWithManyMoreHostsThanTheLimitIsReadAtOnce() {
        let days = (0..<11_000).map { "\($0).example \"\(20_260_101 + $0 % 28) 00:00:00\"" }
        let list = HSTSList(file: (["keep.example \"unlimited\""] + days).joined(separator: "\n"))
        XCTAssertEqual(list.entries.count, HSTSList.limit)
        XCTAssertTrue(list.contains("keep.example", at: 2e9))
        XCTAssertNil(list.entries["0.example"], "the first that ends")
        XCTAssertNotNil(list.entries["27.example"], "the last that ends")
    }

    func testAFileThatCannotBeWrittenIsNamedWithTheReason() {
        XCTAssertThrowsError(try HSTSStore().write(to: "/dev/null/hsts")) { error in
            let error = error as? HTTPClientError
            XCTAssertEqual(error?.code, .store)
            XCTAssertEqual(error?.message, "the file /dev/null/hsts can't be written: Not a directory")
        }
    }

    func testALinkLeadsToTheFileAndStays() throws {
        let link = NSTemporaryDirectory() + "freshet-\(UUID().uuidString)"
        let target = link + ".target"
        defer { for path in [link, target] { try? FileManager.default.removeItem(atPath: path) } }
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
        for _ in 1...2 { try HSTSStore().write(to: link) }
        XCTAssertEqual(try FileManager.default.destinationOfSymbolicLink(atPath: link), target)
        XCTAssertEqual(try String(contentsOfFile: target, encoding: .utf8), HSTSStore().file)
    }

    /// The list names the hosts that the user has visited.
    func testAFileKeepsItsMode() throws {
        let path = NSTemporaryDirectory() + "freshet-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data().write(to: URL(fileURLWithPath: path))
        for mode in [0o600, 0o640] {
            chmod(path, mode_t(mode))
            try HSTSStore().write(to: path)
            XCTAssertEqual(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int, mode)
        }
    }

    func testAPipeIsWrittenAndNotReplaced() throws {
        let pipe = Pipe()
        try HSTSStore().write(to: "/dev/fd/\(pipe.fileHandleForWriting.fileDescriptor)")
        try pipe.fileHandleForWriting.close()
        XCTAssertEqual(pipe.fileHandleForReading.readDataToEndOfFile(), Data(HSTSStore().file.utf8))
    }

    func testTheFileHasTheFormatOfCurl() {
        let text = """
            # comment
            a.example "20330518 03:33:20"
            .b.example "unlimited"
            c.example "19990101 00:00:00"
            . "20330518 03:33:20"
            nonsense
            """
        let list = HSTSList(file: text)
        XCTAssertTrue(list.contains("a.example", at: 1_999_999_999))
        XCTAssertFalse(list.contains("a.example", at: 2_000_000_000))
        XCTAssertTrue(list.contains("x.b.example", at: 1e12))
        XCTAssertFalse(list.contains("anything", at: 0), "curl#12247")
        XCTAssertEqual(
            list.file(at: 1_900_000_000).split(separator: "\n").dropFirst(),
            [#"a.example "20330518 03:33:20""#, #".b.example "unlimited""#])
        XCTAssertEqual(HSTSList(file: list.file(at: 1_900_000_000)).file(at: 0), list.file(at: 1_900_000_000))
        for day in [0, 58, 59, 60, 365, 10_957, 11_016, 19_000, 2_932_896] {
            let date = CalendarDay.date(ofDay: day)
            XCTAssertEqual(
                CalendarDay.secondsSince1970(
                    year: date.year, month: date.month, day: date.day, hour: 0, minute: 0, second: 0),
                day * 86_400)
        }
    }

    func testEachRedirectUsesHTTPSOnceTheHostRequiresIt() throws {
        let scheduler = TestScheduler(initialClock: 0)
        let server = StubTransport(scheduler: scheduler)
        let name = HTTPField.Name("Strict-Transport-Security")!
        server.route { request in
            if request.path == "/to" {
                return ScriptedResponse(status: .found, headers: [.location: "http://a.example:8080/x"])
            }
            return ScriptedResponse(headers: [name: "max-age=100"])
        }
        var configuration = HTTPClient.Configuration()
        configuration.hsts = HSTSStore(secondsSince1970: { 1000 })
        let client = HTTPClient(transport: server, scheduler: scheduler, configuration: configuration)
        func origins(_ urls: String...) -> [String] {
            let before = server.requestCount
            for url in urls {
                let subscription = client.get(url).subscribe()
                scheduler.start()
                subscription.dispose()
            }
            return server.requests.dropFirst(before).map(\.origin)
        }
        XCTAssertEqual(origins("http://a.example/", "http://a.example/"), ["http://a.example", "http://a.example"])
        XCTAssertEqual(origins("https://a.example/", "http://a.example/"), ["https://a.example", "https://a.example"])
        XCTAssertEqual(origins("http://a.example:8080/"), ["https://a.example:8080"])
        XCTAssertEqual(origins("https://b.example/to"), ["https://b.example", "https://a.example:8080"])
        XCTAssertTrue(configuration.hsts?.hasChanged ?? false)
    }

    func testAListThatCannotBeWrittenStillHasItsChanges() throws {
        let store = HSTSStore(secondsSince1970: { 1000 })
        store.learn(
            HTTPResponse(status: .ok, headerFields: [HTTPField.Name("Strict-Transport-Security")!: "max-age=60"]),
            from: try RequestURL("https://a.example/"))
        XCTAssertThrowsError(try store.write(to: "/nowhere/list"))
        XCTAssertTrue(store.hasChanged)
    }

    func testTheClockCanUseTheStore() throws {
        let known = Locked<HSTSStore?>(nil)
        let store = HSTSStore(secondsSince1970: { known.withLock { $0 }?.hasChanged == true ? 1 : 0 })
        known.withLock { $0 = store }
        let url = try RequestURL("http://a.example/")
        XCTAssertEqual(store.upgraded(url), url)
        XCTAssertFalse(store.file.contains("a.example"))
        XCTAssertThrowsError(try store.write(to: "/nowhere/list"))
        known.withLock { $0 = nil }
    }
}
