import CFreshetSystem
import FoundationEssentials
import FreshetCore
import FreshetTesting
import Glibc
import XCTest

@testable import FreshetAuth

/// Tests directories, links, other users and full disks.
final class FileStoreDirectoryTests: FileStoreTestCase {
    // In a sticky directory each user can replace only his own files. The lock fails before a refresh token is spent.
    func testTheLockIsRefusedToAUserWhoMayNotReplaceTheFile() throws {
        guard getuid() == 0 else { return print("not checked: takes root to be another user") }
        try write("{}", mode: 0o644)
        chmod(directory, 0o755)
        chmod(directory + "/sub", 0o1777)
        XCTAssertEqual(seteuid(65534), 0)
        defer { XCTAssertEqual(seteuid(0), 0) }
        XCTAssertThrowsError(try get(store().lock())) { error in
            XCTAssertTrue("\(error)".contains("another user's"), "\(error)")
        }
    }

    // A file in a container is often a mount of its own. A refresh would spend its token, and then could not write the record.
    func testTheLockIsRefusedForAFileThatIsAMountOrImmutable() throws {
        let file = CredentialFile(path: directory + "/sub/api.json")
        for (attribute, advice) in [
            (STATX_ATTR_MOUNT_ROOT, "mount its directory"), (STATX_ATTR_IMMUTABLE, "chattr"),
            (STATX_ATTR_APPEND, "chattr"),
        ] {
            XCTAssertThrowsError(try file.checkAttributes(UInt64(attribute))) { error in
                XCTAssertTrue("\(error)".contains(advice), "\(error)")
            }
        }
        XCTAssertNoThrow(try file.checkAttributes(UInt64(STATX_ATTR_COMPRESSED)))
        XCTAssertThrowsError(try CredentialFile(path: "/proc").checkFile(), "a mount of each system")
    }

    // Otherwise each program would refresh with the token that it had read, and the second one would send a spent token.
    func testAllPathsOfAFileShareOneLockAndOneRecord() throws {
        mkdir(directory + "/links", 0o700)
        let link = directory + "/links/api.json"
        symlink("../sub/api.json", link)
        let linked = FileStore(path: link, scheduler: scheduler)
        let lease = try get(linked.lock())
        let other = Ending<any CredentialLease>()
        _ = store().lock().subscribe { other.set($0) }
        scheduler.advanceBy(1000)
        XCTAssertNil(other.value)
        _ = lease.save(stored(1)).subscribe { _ in }
        lease.unlock()
        scheduler.start()
        try other.value?.get().unlock()
        try save(stored(2), in: linked)
        XCTAssertEqual(try get(store().load()), stored(2))
        XCTAssertEqual(try get(linked.load()), stored(2))
        XCTAssertEqual(try FileManager.default.destinationOfSymbolicLink(atPath: link), "../sub/api.json")
    }

    /// Each move has one lock when it asks for the other. The order must be that of the files, whatever their links are called.
    func testTwoMovesInOppositeDirectionsBothEndIfOneNamesALink() throws {
        let other = FileStore(path: directory + "/sub/b.json", scheduler: scheduler)
        try save(stored(1), in: store())
        try save(stored(2), in: other)
        symlink("sub/api.json", directory + "/z.json")
        let linked = FileStore(path: directory + "/z.json", scheduler: scheduler)
        let (there, back) = (Ending<StoredCredential>(), Ending<StoredCredential>())
        let moves = [
            linked.moveCredential(to: other).subscribe { there.set($0) },
            other.moveCredential(to: store()).subscribe { back.set($0) },
        ]
        scheduler.advanceBy(10_000)
        for move in moves { move.dispose() }
        XCTAssertNoThrow(try XCTUnwrap(there.value).get())
        XCTAssertNoThrow(try XCTUnwrap(back.value).get())
    }

    func testAWorldWritableDirectoryIsRefusedUnlessItIsSticky() throws {
        try write("{}")
        for (mode, isGood) in [(0o777, false), (0o702, false), (0o1777, true), (0o770, true), (0o755, true)] {
            chmod(directory + "/sub", mode_t(mode))
            guard isGood else {
                XCTAssertThrowsError(try get(store().lock()), String(mode, radix: 8)) { error in
                    XCTAssertTrue("\(error)".contains("everybody"), "\(error)")
                }
                continue
            }
            XCTAssertNoThrow(try get(store().lock()), String(mode, radix: 8))
        }
    }

    // Otherwise a user who puts a file there would receive what is meant for its owner.
    func testAFileOfAnotherUserIsRefusedUnlessTheDirectoryBelongsToThatUserToo() throws {
        guard getuid() == 0 else { return print("not checked: takes root to give files away") }
        try write(#"{"access_token": "planted"}"#, mode: 0o644)
        chown(path, 65534, 65534)
        XCTAssertThrowsError(try get(store().load())) { error in
            XCTAssertTrue("\(error)".contains("another user"), "\(error)")
        }
        chown(directory + "/sub", 65534, 65534)
        XCTAssertEqual(try get(store().load()).credential?.accessToken, "planted")
        try save(stored(2), in: store())
        for file in [path, path + ".lock"] {
            var status = stat()
            XCTAssertEqual(stat(file, &status), 0)
            XCTAssertEqual(status.st_uid, 65534, "\(file) is root's now")
        }
    }

    func testAFileThatOthersMayReadIsRestrictedByTheNextWrite() throws {
        try write(#"{"access_token": "a1", "version": 1}"#, mode: 0o666)
        XCTAssertEqual(try get(store().load()).credential?.accessToken, "a1")
        try save(stored(2), in: store())
        var status = stat()
        XCTAssertEqual(stat(path, &status), 0)
        XCTAssertEqual(status.st_mode & 0o777, 0o600)
    }

    // The lock reserves room for the record before a refresh token is spent.
    func testTheLockReservesSpaceSoThatARecordIsWrittenOnAFullDisk() throws {
        mkdir(directory + "/sub", 0o700)
        guard mount("tmpfs", directory + "/sub", "tmpfs", 0, "size=128k") == 0 else {
            return print("not checked: takes the right to mount a small disk")
        }
        defer { umount2(directory + "/sub", Int32(MNT_DETACH)) }
        let lease = try get(store().lock())
        let filler = open(directory + "/sub/filler", O_WRONLY | O_CREAT, 0o600)
        defer { close(filler) }
        let fill = { while Glibc.write(filler, [UInt8](repeating: 0, count: 4096), 4096) > 0 {} }
        fill()
        try get(lease.save(stored(1)))
        XCTAssertEqual(try get(store().load()), stored(1))
        fill()
        XCTAssertThrowsError(try get(lease.save(stored(2)))) { error in
            XCTAssertTrue("\(error)".contains("No space left"), "\(error)")
        }
        XCTAssertEqual(try get(store().load()), stored(1))
    }

    func testALockFailsWithoutSpaceOnTheDisk() throws {
        try withFileSizeLimit(4096) {
            XCTAssertThrowsError(try get(store().lock())) { error in
                XCTAssertTrue("\(error)".contains("can't write"), "\(error)")
            }
        }
        XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: directory + "/sub"), ["api.json.lock"])
    }

    private func withFileSizeLimit(_ bytes: rlim_t, _ work: () throws -> Void) rethrows {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        var small = rlimit(rlim_cur: bytes, rlim_max: limit.rlim_max)
        let handler = signal(SIGXFSZ, SIG_IGN)
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &small)
        defer {
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            signal(SIGXFSZ, handler)
        }
        try work()
    }

    func testADirectoryAPipeAndAHugeFileAreErrorsWithoutAHang() throws {
        mkdir(directory + "/sub", 0o700)
        mkdir(path, 0o700)
        XCTAssertThrowsError(try get(store().load()))
        rmdir(path)
        mkfifo(path, 0o600)
        XCTAssertThrowsError(try get(store().load()))
        unlink(path)
        try write(String(repeating: " ", count: 2 << 20))
        XCTAssertThrowsError(try get(store().load()))
    }

    func testAnUnreadableFileIsAnErrorNotAnEmptyStore() throws {
        try write("{}")
        try FileManager.default.removeItem(atPath: path)
        symlink(path, path)
        XCTAssertThrowsError(try get(store().load()), "a loop of links can't be read by root either")
    }

    func testADirectoryThatCannotBeCreatedOrWrittenIsAnErrorBeforeATokenIsUsed() throws {
        let blocked = FileStore(path: "/proc/nowhere/api.json", scheduler: scheduler)
        XCTAssertThrowsError(try get(blocked.lock())) { XCTAssertTrue($0 is StoreError) }
    }

    // A moved folder or an unmounted volume counted as a logout, and a new directory was made in its place.
    func testAStoreWhoseDirectoryHasVanishedFailsUntilItIsBack() throws {
        let store = store()
        try save(stored(1), in: store)
        try FileManager.default.moveItem(atPath: directory + "/sub", toPath: directory + "/moved")
        XCTAssertThrowsError(try get(store.load())) { error in
            XCTAssertTrue("\(error)".contains("\(directory)/sub is gone"), "\(error)")
        }
        XCTAssertThrowsError(try get(store.lock())) { XCTAssertTrue($0 is StoreError) }
        XCTAssertFalse(FileManager.default.fileExists(atPath: directory + "/sub"))
        try FileManager.default.moveItem(atPath: directory + "/moved", toPath: directory + "/sub")
        XCTAssertEqual(try get(store.load()), stored(1))
        let reader = self.store()
        XCTAssertEqual(try get(reader.load()), stored(1))
        try FileManager.default.removeItem(atPath: directory + "/sub")
        XCTAssertThrowsError(try get(reader.load()), "a record that was only read is lost too")
    }

    func testTheDirectoryIsMadeAnewForALoginAfterALogout() throws {
        let store = store()
        XCTAssertEqual(try get(store.load()), .empty)
        try save(stored(1), in: store)
        try save(StoredCredential(version: 2), in: store)
        try FileManager.default.removeItem(atPath: directory + "/sub")
        XCTAssertEqual(try get(store.load()), .empty)
        try save(stored(3), in: store)
        XCTAssertEqual(try get(store.load()), stored(3))
    }

    // The directory of the mount itself remains, and is empty.
    func testAnUnmountedVolumeIsAnErrorUntilItIsBack() throws {
        mkdir(directory + "/sub", 0o700)
        guard mount("tmpfs", directory + "/sub", "tmpfs", 0, "size=128k") == 0 else {
            return print("not checked: takes the right to mount a small disk")
        }
        let store = store()
        try save(stored(1), in: store)
        scheduler.start()
        XCTAssertEqual(umount2(directory + "/sub", Int32(MNT_DETACH)), 0)
        XCTAssertThrowsError(try get(store.load()))
        XCTAssertThrowsError(try get(store.lock()))
        XCTAssertFalse(FileManager.default.fileExists(atPath: path + ".lock"))
    }

    // A mounted secret can be read. Its lock is refused, so that no refresh token is spent that could not be replaced.
    func testAStoreThatCannotBeWrittenIsReadAndItsLockIsRefused() throws {
        mkdir(directory + "/sub", 0o700)
        guard mount("tmpfs", directory + "/sub", "tmpfs", 0, "size=128k") == 0 else {
            return print("not checked: takes the right to mount a small disk")
        }
        defer { umount2(directory + "/sub", Int32(MNT_DETACH)) }
        try save(stored(1), in: store())
        scheduler.start()
        XCTAssertEqual(
            mount("tmpfs", directory + "/sub", "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), ""), 0)
        XCTAssertEqual(try get(store().load()), stored(1))
        XCTAssertThrowsError(try get(store().lock())) { error in
            XCTAssertTrue("\(error)".contains("Read-only file system"), "\(error)")
        }
    }

    func testALockIsRefusedToAUserWhoMayNotWrite() throws {
        guard getuid() == 0 else { return print("not checked: takes root to be another user") }
        try save(stored(1), in: store())
        scheduler.start()
        chmod(directory, 0o755)
        chmod(directory + "/sub", 0o755)
        chmod(path + ".lock", 0o666)
        XCTAssertEqual(seteuid(65534), 0)
        defer { XCTAssertEqual(seteuid(0), 0) }
        XCTAssertThrowsError(try get(store().lock())) { error in
            XCTAssertTrue("\(error)".contains("Permission denied"), "\(error)")
        }
    }
}
