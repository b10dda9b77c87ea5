import FreshetCore
import XCTest

@testable import FreshetLoop

final class PendingLookupsTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    private func lookup(_ host: String) -> NameLookup { NameLookup(host) { _ in } }

    func testNamesAreTakenInTheirOrderWithoutThoseThatWereCancelled() {
        var pending = PendingLookups()
        let lookups = ["a", "b", "c", "d"].map { (host: $0, lookup: lookup($0)) }
        for (host, lookup) in lookups { _ = pending.add(lookup, host) }
        pending.remove(lookups[0].lookup, "a")
        pending.remove(lookups[2].lookup, "c")
        _ = pending.add(lookups[0].lookup, "a")
        XCTAssertEqual((0..<4).map { _ in pending.next() }, ["b", "d", "a", nil])
        XCTAssertIdentical(pending.lookups(of: "b").first, lookups[1].lookup)
    }

    func testLookupsOfANameAreAnsweredTogetherUntilTheLastIsCancelled() {
        var pending = PendingLookups()
        let (first, second) = (lookup("a"), lookup("a"))
        XCTAssertTrue(pending.add(first, "a"))
        XCTAssertFalse(pending.add(second, "a"), "the name waits already")
        pending.remove(first, "a")
        XCTAssertEqual(pending.next(), "a")
        XCTAssertEqual(pending.lookups(of: "a").map(ObjectIdentifier.init), [ObjectIdentifier(second)])
        XCTAssertNil(pending.next())
    }

    func testALookupGetsTheResultOfAnEarlierOneThatWasCancelledWhileItRan() {
        var pending = PendingLookups()
        let (first, second) = (lookup("a"), lookup("a"))
        _ = pending.add(first, "a")
        XCTAssertEqual(pending.next(), "a")
        pending.remove(first, "a")
        // The running call may wait for a name server that does not respond, so another thread may ask again.
        XCTAssertTrue(pending.add(second, "a"))
        XCTAssertIdentical(pending.lookups(of: "a").first, second)
        XCTAssertNil(pending.next(), "it has a result")
    }

    func testTheTimeToCancelIsProportionalToTheNumberOfLookups() {
        func time(_ count: Int, _ host: (Int) -> String) -> Duration {
            // The least of several times, because the machine may be busy.
            (0..<3).map { _ in
                var pending = PendingLookups()
                let lookups = (0..<count).map { (host: host($0), lookup: lookup(host($0))) }
                for (host, lookup) in lookups { _ = pending.add(lookup, host) }
                return ContinuousClock().measure {
                    for (host, lookup) in lookups.reversed() { pending.remove(lookup, host) }
                }
            }.min()!
        }
        for host: (Int) -> String in [{ "h\($0).example" }, { _ in "a.example" }] {
            XCTAssertLessThan(time(20_000, host), max(time(2000, host), .milliseconds(25)) * 40)
        }
    }
}
