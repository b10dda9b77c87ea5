import Foundation
import FreshetHTTP
import XCTest

/// Tests a file that is written beside its place.
final class AtomicFileTests: XCTestCase {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)

    private var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()) ?? [] }

    override func setUpWithError() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    override func tearDownWithError() throws { try FileManager.default.removeItem(at: folder) }

    private func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
    private func content(_ name: String) -> String? { try? String(contentsOfFile: path(name), encoding: .utf8) }

    func testTheOldFileStaysUntilTheNewOneIsComplete() throws {
        try "old".write(toFile: path("a"), atomically: false, encoding: .utf8)
        let file = try AtomicFile(replacing: path("a"))
        XCTAssertEqual(write(file.descriptor, "new", 3), 3)
        XCTAssertEqual(content("a"), "old")
        try file.commit()
        XCTAssertEqual(content("a"), "new")
        file.discard()
        XCTAssertEqual(names, ["a"])
    }

    func testAFileThatIsNotCompleteLeavesNothing() throws {
        let file = try AtomicFile(replacing: path("a"))
        XCTAssertEqual(names.count, 1)
        file.discard()
        XCTAssertEqual(names, [])
    }

    func testALinkStaysAlsoOneWhoseFileIsNotThereYet() throws {
        XCTAssertEqual(symlink("b", path("a")), 0)
        let file = try AtomicFile(replacing: path("a"))
        XCTAssertEqual(write(file.descriptor, "new", 3), 3)
        try file.commit()
        file.discard()
        XCTAssertEqual(content("b"), "new")
        XCTAssertEqual(try FileManager.default.destinationOfSymbolicLink(atPath: path("a")), "b")
    }

    func testAPathThatNamesNoFileIsRefused() {
        mkfifo(path("pipe"), 0o600)
        for name in ["", path("no/file"), folder.path + "/a\0b", folder.path, path("pipe")] {
            XCTAssertThrowsError(try AtomicFile(replacing: name)) { error in
                XCTAssertEqual((error as? HTTPClientError)?.code, .invalidRequest, name)
            }
        }
        XCTAssertEqual(names, ["pipe"])
    }
}
