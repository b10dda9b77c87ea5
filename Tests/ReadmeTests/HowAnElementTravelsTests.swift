import FreshetCore
import XCTest

/// Runs the example of the page about the way of an element.
final class HowAnElementTravelsTests: ResourceTestCase {
    func testTheElementReachesTheClosure() {
        let seen = Locked<[Double]>([])
        HowAnElementTravels.fahrenheit { element in seen.withLock { $0.append(element) } }
        XCTAssertEqual(seen.withLock { $0.map { $0.rounded() } }, [70])
    }
}
