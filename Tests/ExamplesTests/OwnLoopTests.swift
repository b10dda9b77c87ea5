import FreshetHTTPTesting
import HTTPTypes
import XCTest

final class OwnLoopTests: ExampleTestCase {
    func testEachTickReportsTheStatusOfTheServerAndLeavesNothingOnTheLoop() throws {
        server.route(
            .get, "/health", responses: ScriptedResponse(), ScriptedResponse(status: .serviceUnavailable),
            ScriptedResponse(body: "half of it").truncated(after: 4),
            ScriptedResponse())
        let lines = try ExampleProcess("OwnLoopExample", "\(server.url)/health").lines()
        XCTAssertEqual(
            lines, ["1: 200", "2: 503", "3: connection_lost", "4: 200", "5: 200", "nothing is left on the loop"])
    }
}
