import FreshetHTTPTesting
import XCTest

/// Tests kills and failures at each call of a transaction on the store's files.
final class SystemCallFaultTests: TransactionTestCase {
    func testAKillAtAnySystemCallLeavesTheOldOrTheNewPair() throws {
        try killAtAnyCall(of: .file) { _ in true }
    }
    func testAKillAtAnyWritingSystemCallOfASealedStoreLeavesTheOldOrTheNewPair() throws {
        try killAtAnyCall(of: .sealedWithAKeyFile, \.isChanging)
    }

    private func killAtAnyCall(of kind: StoreKind, _ isMeant: (TracedTransaction.Call) -> Bool) throws {
        guard let trace = try TracedTransaction(of: session(kind), in: self) else { return }
        let recoveries = try concurrently(trace.calls.filter(isMeant), on: kind) { call, session in
            let ending = try transact(session, under: TracedTransaction.tracer("signal=KILL", at: call, of: session))
            XCTAssertEqual(ending.outcomes, [], "\(call)")
            return try recovery(of: session, after: "\(call)")
        }
        XCTAssertEqual(recoveries, recoveries.sorted(), "first the old pair, then the new one")
        XCTAssertEqual(Set(recoveries), [.old, .spent, .new])
    }

    func testAFailureOfAnySystemCallIsAStoreErrorAndLosesNothing() throws {
        guard let trace = try TracedTransaction(of: session(), in: self) else { return }
        let writing = ["openat", "pwrite64", "ftruncate", "fsync", "rename", "renameat"]
        var faults = trace.calls.map { ($0, "EIO") }
        faults += trace.calls.filter { writing.contains($0.name) }.map { ($0, "ENOSPC") }
        let failures = try concurrently(faults.filter { $0.0.name != "close" }) { fault, session in
            let (call, number) = fault
            let point = "\(number) at \(call)"
            let ending = try transact(
                session, under: TracedTransaction.tracer("error=\(number)", at: call, of: session))
            XCTAssertEqual(ending.status, 0, point)
            XCTAssertTrue([["ok", "ok"], ["store", "ok"]].contains(ending.outcomes), "\(ending) \(point)")
            XCTAssertLessThanOrEqual(session.server.counts.refreshes, 1, point)
            XCTAssertEqual(try transact(session), .well, "what is stored is good for another refresh: \(point)")
            XCTAssertEqual(session.server.counts.refusals, 0, point)
            XCTAssertEqual(try session.store.files, [session.store.name, session.store.name + ".lock"], point)
            return ending.outcomes.first == "store"
        }
        XCTAssertGreaterThan(failures.count { $0 }, 10)
    }

    func testTheNewPairIsSyncedBeforeItsRenameAndBothBeforeTheUnlock() throws {
        guard let trace = try TracedTransaction(of: session(), in: self) else { return }
        let order = ["flock", "pwrite64", "fsync", "rename", "fsync"]
        let names = trace.calls.map { $0.name.hasPrefix("rename") ? "rename" : $0.name }.filter { order.contains($0) }
        XCTAssertEqual(names, ["flock", "pwrite64"] + order.dropFirst(), "the room is written, then the record")
        XCTAssertEqual(trace.calls.last?.name, "close")
    }

    func testAnInterruptedSystemCallIsRepeated() throws {
        guard let trace = try TracedTransaction(of: session(), in: self) else { return }
        let interruptible = [
            "openat", "read", "pwrite64", "ftruncate", "fsync", "rename", "renameat", "fchmod", "flock",
        ]
        try concurrently(trace.calls.filter { interruptible.contains($0.name) }) { call, session in
            let ending = try transact(session, under: TracedTransaction.tracer("error=EINTR", at: call, of: session))
            XCTAssertEqual(ending, .well, "\(call)")
            XCTAssertEqual(session.server.counts.refreshes, 1, "\(call)")
        }
    }

    func testAnInterruptedSystemCallForTheKeyIsRepeated() throws {
        guard try TracedTransaction.isAllowed() else { return print("not checked: no program can be traced here") }
        for name in ["openat", "read"] {
            let session = try session(.sealedWithAKeyFile)
            // The tracer interrupts every other call, so that the program makes each call twice.
            let tracer = TracedTransaction.tracer(of: session, injecting: "\(name):error=EINTR:when=1+2")
            XCTAssertEqual(try transact(session, under: tracer), .well, name)
            XCTAssertEqual(session.server.counts.refreshes, 1, name)
        }
    }
}
