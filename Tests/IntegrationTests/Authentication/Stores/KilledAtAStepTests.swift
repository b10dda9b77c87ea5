import FreshetHTTPTesting
import XCTest

/// A program that dies in the middle of a refresh. Rotated token not persisted, restart replays a consumed one:
/// golang/oauth2 #84, denkeeper PR #283, Auth0.swift #490.
final class KilledAtAStepTests: TransactionTestCase {
    func testAKillAtAnyStepLeavesTheOldPairOrTheNewOneAndNoLock() throws {
        let steps: [(name: String, leaves: Recovery)] = [
            ("locked", .old), ("reserved", .old), ("read", .old), ("asked", .old),
            // The server has rotated: whatever a client does, this one is lost.
            ("answered", .spent), ("written", .spent), ("synced", .spent),
            ("renamed", .new), ("directorySynced", .new), ("unlocked", .new),
        ]
        for step in steps {
            let session = try session()
            XCTAssertEqual(try transact(session, until: step.name), .killed, step.name)
            XCTAssertEqual(try recovery(of: session, after: step.name), step.leaves, step.name)
        }
    }

    func testWhoWaitsForTheLockOfAProgramThatIsKilledGetsIt() throws {
        let session = try session()
        let runs = try (0..<6).map { try Transaction(session, until: $0 == 0 ? "read" : nil) }
        let endings = runs.map { $0.ending() }
        XCTAssertEqual(endings[0], .killed)
        for ending in endings.dropFirst() { XCTAssertEqual(ending, .well) }
        XCTAssertEqual(session.server.counts.refusals, 0)
    }
}
