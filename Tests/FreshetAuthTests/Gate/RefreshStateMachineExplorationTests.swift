import Foundation
import FreshetCore
import XCTest

@testable import FreshetAuth

/// Runs every order of all events to a fixed depth, and checks the promises of ``ExploredWorld`` in each state.
///
/// States that differ only in names, numbers and the time that both clocks show count as one. From each state the test also
/// runs the world to rest, where no caller may be waiting. To a depth of eight, which `FRESHET_DEPTH` asks for, there are some
/// 204,000 states, with 671,000 steps between them.
final class RefreshStateMachineExplorationTests: XCTestCase {
    private typealias Step = ExploredWorld.Step

    /// Visits all states within `depth` steps after `beginning`.
    ///
    /// - Returns: the number of different states, and the number of steps taken.
    private func explore(after beginning: [Step], depth: Int, waiterLimit: Int = 2) -> (Int, Int) {
        var world = ExploredWorld(waiterLimit: waiterLimit)
        for step in beginning { XCTAssertTrue(world.perform(step), "\(step) is not possible") }
        var visited: Set<Int> = [world.fingerprint]
        var taken = 0
        var frontier = [world]
        for _ in 0..<depth {
            var next: [ExploredWorld] = []
            for world in frontier {
                for step in Step.allCases where world.admits(step) {
                    var successor = world
                    guard successor.perform(step) else { continue }
                    taken += 1
                    guard visited.insert(successor.fingerprint).inserted else { continue }
                    successor.checkRest()
                    next.append(successor)
                }
            }
            frontier = next
        }
        print("explored: \(visited.count) states, \(taken) steps from one to another")
        return (visited.count, taken)
    }

    private static let refreshing: [Step] = [.request, .peek, .fail, .peek, .open]

    func testNoOrderOfEventsBreaksAnInvariant() {
        let depth = ProcessInfo.processInfo.environment["FRESHET_DEPTH"].flatMap { Int($0) } ?? 7
        XCTAssertGreaterThan(explore(after: [], depth: depth).0, 50_000)
    }

    func testNoOrderOfEventsAfterALaterStartBreaksAnInvariant() {
        for beginning: [Step] in [
            [.request, .peek, .passToAhead, .request, .peek, .open],
            Self.refreshing + [.logout], Self.refreshing + [.response, .persistNot],
            Self.refreshing + [.rogue, .refuse],
            Self.refreshing + [.respondFailure, .fail],
        ] {
            XCTAssertGreaterThan(explore(after: beginning, depth: 4).0, 500)
        }
    }
}
