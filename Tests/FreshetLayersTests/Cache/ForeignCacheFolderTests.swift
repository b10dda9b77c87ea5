import Foundation
import FreshetHTTP
import HTTPTypes
import XCTest

/// Tests that a disk cache neither overwrites nor removes what it has not made.
final class ForeignCacheFolderTests: DiskCacheTestCase {
    private func put(_ text: String, _ name: String) throws {
        let file = URL(fileURLWithPath: "\(folder)/\(name)")
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    private func content(_ name: String) -> String? {
        try? String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    private let key = String(repeating: "k", count: 32)

    func testAFolderInWhichANameOfACacheIsSomethingElseIsRefusedAndStaysAsItIs() throws {
        let code = String(repeating: "0a", count: 20)
        for files in [
            ["key": key], ["key": key, "thesis.txt": ""], ["key": key + "\n"],
            ["key": "short", "new/aB-_45678901234x": ""], ["size": "XL"], ["new/thesis.txt": "mine"], ["key/file": ""],
            ["new": ""], [code: ""], ["key": key, "size": "XL"], ["key": key, "new": ""],
        ] {
            for (name, text) in files { try put(text, name) }
            XCTAssertThrowsError(try bench(), "\(files)") { error in
                XCTAssertEqual((error as? HTTPClientError)?.code, .store)
                XCTAssertTrue("\(error)".contains("the folder is no cache: its "), "\(error)")
            }
            for (name, text) in files { XCTAssertEqual(content(name), text, "\(files)") }
            XCTAssertEqual(
                try FileManager.default.subpathsOfDirectory(atPath: folder).filter { content($0) != nil }.sorted(),
                files.keys.sorted())
            try FileManager.default.removeItem(atPath: folder)
        }
    }

    /// Another process makes the folder at the same time, was killed meanwhile, or had a full disk. A new volume is not empty.
    func testAnUnfinishedCacheIsCompletedAlsoBesideOtherFiles() throws {
        let code = String(repeating: "0a", count: 20)
        for files in [
            [:], ["new/aB-_45678901234x": "half"], ["key": "", "new/aB-_45678901234x": ""],
            ["key": key, "size": String(repeating: "0", count: 20)], ["size": ""],
            ["\(code)/nobody.id.head": "", "new/aB-_45678901234x": ""], ["lost+found/a": "", "config.json": "{}"],
        ] {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            for (name, text) in files { try put(text, name) }
            let first = try bench()
            first.script(.ok, "Cache-Control: max-age=100", body: "stored")
            try first.send()
            XCTAssertEqual(try bench().send().body, "stored", "\(files)")
            try FileManager.default.removeItem(atPath: folder)
        }
    }

    func testAnExistingCacheKeepsItsResponsesBesideOtherFiles() throws {
        let first = try bench()
        first.script(.ok, "Cache-Control: max-age=100000", body: "stored")
        try first.send()
        try put("mine", "thesis.txt")
        try put("mine", "new/thesis.txt")
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 0)], ofItemAtPath: "\(folder)/new/thesis.txt")
        // Has the next writer measure the folder, and remove files that were abandoned.
        try put("?", "size")
        let second = try bench()
        second.script(.ok, "Cache-Control: max-age=100")
        try second.send(.get, "/b")
        XCTAssertEqual(content("size")?.utf8.count, 20)
        XCTAssertEqual(try second.send().body, "stored")
        XCTAssertEqual(content("thesis.txt"), "mine")
        XCTAssertEqual(content("new/thesis.txt"), "mine")
    }

    func testTheFilesOfACacheArePrivateInAnExistingFolderWhichKeepsItsMode() throws {
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        _ = try bench()
        for name in ["key", "size"] { XCTAssertEqual(chmod("\(folder)/\(name)", 0o644), 0) }
        _ = try bench()
        for name in ["key", "size"] { XCTAssertEqual(try mode("\(folder)/\(name)"), 0o600, name) }
        XCTAssertEqual(try mode(folder), 0o755)
        XCTAssertEqual(try mode("\(folder)/new"), 0o700)
    }

    func testTheErrorOfAFolderThatCannotBeMadeNamesTheReason() throws {
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        let place = folder
        defer { folder = place }
        folder += "/a/cache"
        func check(_ reason: String) {
            XCTAssertThrowsError(try bench()) { XCTAssertTrue("\($0)".contains(": \(reason)"), "\($0)") }
        }
        if mount("tmpfs", place, "tmpfs", UInt(MS_RDONLY), nil) == 0 {
            check("Read-only file system")
            umount2(place, Int32(MNT_DETACH))
        } else {
            print("not checked: takes the right to mount a disk")
        }
        guard getuid() == 0 else { return print("not checked: takes root to be another user") }
        XCTAssertEqual(seteuid(65534), 0)
        check("Permission denied")
        XCTAssertEqual(seteuid(0), 0)
    }
}
