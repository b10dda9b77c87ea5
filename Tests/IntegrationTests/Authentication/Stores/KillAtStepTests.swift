import FreshetHTTPTesting
import XCTest

/// Tests a program that dies in the middle of a refresh. In golang/oauth2 #84, denkeeper PR #283 and Auth0.swift #490 the
/// rotated token was not stored, and the program sent a spent one after its restart.
final class KillAtStepTests: TransactionTestCase {
    func testAKillAtAnyStepLeavesTheOldOrTheNewPairAndNoLock() throws { try killAtAnyStep(of: .file) }
    func testAKillAtAnyStepOfASealedStoreLeavesAPairAndNoPlainToken() throws {
        try killAtAnyStep(of: .sealedWithAKeyFile)
    }
    func testAKillAtAnyStepOfAStoreInTheKeyringLeavesAPairAndNoPlainToken() throws { try killAtAnyStep(of: .keyring) }
    func testAKillAtAnyStepOfAHelperStoreLeavesAPairAndNoPlainToken() throws { try killAtAnyStep(of: .helper) }

    private func killAtAnyStep(of kind: StoreKind) throws {
        let steps: [(name: String, leaves: Recovery)] = [
            ("locked", .old), ("reserved", .old), ("read", .old), ("asked", .old),
            // The server has rotated the tokens, and no client can get the new ones.
            ("answered", .spent),
            // A helper has the new pair before the file says so.
            ("written", kind == .helper ? .new : .spent), ("synced", kind == .helper ? .new : .spent),
            ("renamed", .new), ("directorySynced", .new), ("unlocked", .new),
        ]
        try concurrently(steps, on: kind) { step, session in
            XCTAssertEqual(try transact(session, until: step.name), .killed, step.name)
            XCTAssertEqual(try recovery(of: session, after: step.name), step.leaves, step.name)
        }
    }

    func testAKillWhileAHelperRunsLeavesTheOldOrTheNewPairAndNoLock() throws {
        for (point, leaves) in [("before get", .old), ("before store", .spent), ("after store", .new)]
            as [(_, Recovery)]
        {
            let session = try session(.helper)
            var killed = session
            killed.store.environment["KILL_IN_HELPER"] = point
            XCTAssertEqual(try transact(killed), .killed, point)
            XCTAssertEqual(try recovery(of: session, after: point), leaves, point)
        }
    }

    func testTheLockOfAKilledProgramIsGrantedToAWaitingOne() throws {
        let session = try session()
        let runs = try (0..<6).map { try Transaction(session, until: $0 == 0 ? "read" : nil) }
        let endings = runs.map { $0.ending() }
        XCTAssertEqual(endings[0], .killed)
        for ending in endings.dropFirst() { XCTAssertEqual(ending, .well) }
        XCTAssertEqual(session.server.counts.refusals, 0)
    }
}
