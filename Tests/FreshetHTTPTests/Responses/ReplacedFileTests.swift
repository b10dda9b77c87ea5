import Foundation
import FreshetHTTP
import FreshetHTTPTesting
import XCTest

/// Tests what becomes of the file that a download replaces.
final class ReplacedFileTests: DownloadTestCase {
    private func attributes() -> [UInt32] {
        var status = stat()
        XCTAssertEqual(stat(path, &status), 0)
        return [status.st_uid, status.st_gid, status.st_mode & 0o7777]
    }

    // Otherwise a program that runs with the rights of its owner would run with those of root.
    func testTheNewFileHasTheOwnerTheGroupAndTheModeOfTheOldOne() throws {
        guard getuid() == 0 else { return print("not checked: takes root to give files away") }
        for isResumable in [false, true] {
            put("old")
            chown(path, 65534, 1)
            chmod(path, 0o4750)
            transport.enqueue(ScriptedResponse(body: "new"))
            XCTAssertNil(try download { $0.isResumable = isResumable }.error)
            XCTAssertEqual(content(), "new")
            XCTAssertEqual(attributes(), [65534, 1, 0o4750])
        }
    }

    // The other user may have the part open, and could write into a program with the rights of root.
    func testAPartOfAnotherUserBecomesNoProgramOfRoot() throws {
        guard getuid() == 0 else { return print("not checked: takes root to give files away") }
        put("old")
        chmod(path, 0o4755)
        put("planted", "file.part")
        put("", "file.part.info")
        chown(path + ".part", 65534, 65534)
        transport.enqueue(ScriptedResponse(body: "new"))
        XCTAssertNil(try download { $0.isResumable = true }.error)
        XCTAssertEqual(content(), "new")
        XCTAssertEqual(attributes(), [65534, 65534, 0o755])
    }

    func testTheErrorOfAFileThatIsAMountSaysWhatToMountInstead() throws {
        put("old")
        guard mount(path, path, "", UInt(MS_BIND), nil) == 0 else {
            return print("not checked: takes the right to mount a file")
        }
        defer { umount2(path, Int32(MNT_DETACH)) }
        transport.enqueue(ScriptedResponse(body: "new"))
        let error = try download().error
        XCTAssertEqual(error?.phase, .storing)
        XCTAssertEqual(error?.message, "the file \(path) can't be put in its place: Device or resource busy")
        XCTAssertEqual(
            error?.recoverySuggestion,
            "name a file elsewhere; if this one is a mount of its own, mount its folder instead")
        XCTAssertEqual(names, ["file"])
        XCTAssertEqual(content(), "old")
    }
}
