import FreshetHTTPTesting
import Glibc
import XCTest

/// Tests disks without room, disks without quota and read-only disks under a store of each kind.
final class FullDiskTests: TransactionTestCase {
    func testAFullDiskUnderAFileUsesNoRefreshToken() throws { try fillTheDisk(under: .file) }
    func testAFullDiskUnderASealedStoreUsesNoRefreshToken() throws {
        for kind in [StoreKind.sealedWithAKeyFile, .sealedWithACredential] { try fillTheDisk(under: kind) }
    }
    func testAFullDiskUnderAStoreSealedWithTheKeyringUsesNoRefreshToken() throws {
        try fillTheDisk(under: .sealedWithTheKeyring)
    }
    func testAFullDiskUnderAStoreInTheKeyringUsesNoRefreshToken() throws { try fillTheDisk(under: .keyring) }
    func testAFullDiskUnderAHelperStoreUsesNoRefreshToken() throws { try fillTheDisk(under: .helper) }

    /// Checks that no refresh token is spent if the disk has no room before the request to the server.
    private func fillTheDisk(under kind: StoreKind) throws {
        let store = try StoreSite(kind, in: self)
        guard mount("tmpfs", store.directory, "tmpfs", 0, "size=128k") == 0 else {
            return print("not checked: takes the right to mount a small disk")
        }
        defer { umount2(store.directory, Int32(MNT_DETACH)) }
        let session = try session(kind, in: store)
        let old = try store.record() as NSDictionary

        let filler = open("\(store.directory)/filler", O_WRONLY | O_CREAT, 0o600)
        while write(filler, [UInt8](repeating: 0, count: 4096), 4096) > 0 {}
        close(filler)
        try expectStoreErrors(of: session, keeping: old, "a full disk")
        unlink("\(store.directory)/filler")
        XCTAssertEqual(try store.files, [store.name, store.name + ".lock"])

        XCTAssertEqual(mount("tmpfs", store.directory, "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), ""), 0)
        try expectStoreErrors(of: session, keeping: old, "a disk for reading")
        XCTAssertEqual(mount("tmpfs", store.directory, "tmpfs", UInt(MS_REMOUNT), ""), 0)
        XCTAssertEqual(try transact(session), .well)
        XCTAssertEqual(session.server.counts.refusals, 0)
    }

    private func expectStoreErrors(of session: Session, keeping old: NSDictionary, _ point: String) throws {
        XCTAssertEqual(try transact(session), Ending(outcomes: ["store", "store"]), point)
        XCTAssertEqual(session.server.counts.refreshes, 0, point)
        XCTAssertEqual(try session.store.record() as NSDictionary, old, point)
    }

    func testAFailedWriteToAFileIsAStoreError() throws { try failWrites(to: .file) }
    func testAFailedWriteToASealedStoreIsAStoreError() throws { try failWrites(to: .sealedWithAKeyFile) }
    func testAFailedWriteToAStoreInTheKeyringIsAStoreError() throws { try failWrites(to: .keyring) }
    func testAFailedWriteToAHelperStoreIsAStoreError() throws { try failWrites(to: .helper) }

    /// Checks a disk that has room before the request to the server, and none for the record after the response.
    private func failWrites(to kind: StoreKind) throws {
        guard try TracedTransaction.isAllowed() else { return print("not checked: no program can be traced here") }
        // The first write reserves room, and the second one is the record's.
        let faults = ["pwrite64:error=ENOSPC:when=2+", "fsync:error=EDQUOT", "rename:error=EROFS"]
        // The helper stores its record on another disk, so that the next request finds the new record there.
        let outcomes = ["store", kind == .helper ? "ok" : "store"]
        try concurrently(faults, on: kind) { fault, session in
            let old = try session.store.record() as NSDictionary
            let ending = try transact(session, under: TracedTransaction.tracer(of: session, injecting: fault))
            XCTAssertEqual(ending, Ending(outcomes: outcomes), fault)
            XCTAssertEqual(session.server.counts.refreshes, 1, fault)
            XCTAssertEqual(try session.store.files, [session.store.name, session.store.name + ".lock"], fault)
            XCTAssertEqual(try session.store.filesWithATokenInThem().isEmpty, kind.isSecret, fault)
            XCTAssertEqual(try session.store.record() as NSDictionary == old, kind != .helper, fault)
        }
        let session = try session(kind)
        let tracer = TracedTransaction.tracer(of: session, injecting: "pwrite64:error=EDQUOT")
        let old = try session.store.record() as NSDictionary
        XCTAssertEqual(try transact(session, under: tracer), Ending(outcomes: ["store", "store"]))
        XCTAssertEqual(session.server.counts.refreshes, 0)
        XCTAssertEqual(try session.store.record() as NSDictionary, old)
        XCTAssertEqual(try transact(session), .well)
    }
}
