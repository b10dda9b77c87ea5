import XCTest

@testable import FreshetLoad

final class LoadProgressLineTests: XCTestCase {
    private static func progress(_ requests: Int, at milliseconds: Int) -> LoadProgress {
        LoadProgress(ended: requests, failed: 3, running: 8, time: .milliseconds(milliseconds))
    }

    private func text(_ plan: LoadPlan, after steps: [LoadProgress], width: Int) -> String {
        let line = LoadProgressLine(plan)
        return steps.map { line.text($0, width: width) }.last ?? ""
    }

    func testTheLineReportsTheProgressAndTheCurrentRate() {
        let plan = LoadPlan(requests: 20_000, duration: nil, concurrency: 8)
        let steps = (1...30).map { Self.progress($0 < 20 ? 0 : ($0 - 19) * 1000, at: $0 * 100) }
        XCTAssertEqual(
            text(plan, after: steps, width: 78),
            "███████████░░░░░░░░░ 11,000 requests, 3 errors, 10,000 per second, 8 under way")
    }

    func testTheBarFollowsTheLimitThatIsReachedFirst() {
        let plan = LoadPlan(requests: 1_000_000, duration: .seconds(2), concurrency: 8)
        XCTAssertTrue(
            text(plan, after: [Self.progress(10, at: 1000)], width: 70).hasPrefix("██████████░░░░░░░░░░ 10 requests"))
    }
}
