import CFreshetCurl
import FreshetCore
import XCTest

@testable import FreshetCurl

final class DNSCacheTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    /// A name at port 80, and its override at port 8080 or at every name's port 8080, after the cache has dropped others.
    private func swept(_ override: String) throws -> (DNSCache, name: Destination, fixed: Destination) {
        var addresses = CurlTransport.Configuration.Addresses()
        addresses.overrides = [override: ["192.0.2.9"]]
        var cache = DNSCache(addresses)
        let name = try XCTUnwrap(cache.destination("a.example", 80))
        let fixed = try XCTUnwrap(cache.destination("a.example", 8080))
        for number in 0..<1100 { _ = cache.destination("h\(number).example", 80) }
        return (cache, name, fixed)
    }

    func testAnOverrideOfOnePortDoesNotApplyToOtherPortsOfTheName() throws {
        for override in ["a.example:8080", "*:8080"] {
            var (cache, name, fixed) = try swept(override)
            let other = try XCTUnwrap(cache.destination("a.example", 443))
            XCTAssertIdentical(other.name, name.name, override)
            XCTAssertEqual(other.name.addresses, [], override)
            XCTAssertEqual(fixed.name.addresses, ["192.0.2.9"], override)
        }
    }

    func testTheLookupOfANameWithAnOverrideAtAnotherPortEndsWithTheCache() throws {
        var (cache, name, fixed) = try swept("a.example:8080")
        let isDisposed = Locked(false)
        name.name.lookup = Disposables.create { isDisposed.withLock { $0 = true } }
        _ = cache.close()
        XCTAssertTrue(isDisposed.withLock { $0 })
        withExtendedLifetime(fixed) {}
    }

    /// The list of an idle multi grew with every host that another multi had used.
    func testAMultiDropsOnlyTheDestinationsThatItHasLoaded() throws {
        var cache = DNSCache(CurlTransport.Configuration.Addresses())
        let slots = (0..<3).map { _ in cache.allocateSlot() }
        for number in 0..<1024 {
            let destination = try XCTUnwrap(cache.destination("h\(number).example", 80))
            guard number < 10 else { continue }
            destination.loaded(in: slots[0], 1)
            // The addresses changed before the second multi needed them.
            if number < 5 { destination.loaded(in: slots[1], 2) }
        }
        let next = try XCTUnwrap(cache.destination("next.example", 80))
        XCTAssertEqual(slots.map { lines(of: cache.loadingList([next], in: $0)).count }, [11, 6, 1])
        XCTAssertEqual(slots.map { lines(of: cache.loadingList([next], in: $0)).count }, [1, 1, 1])
    }

    private func lines(of list: CurlList) -> [String] {
        sequence(first: list.raw) { $0?.pointee.next }.prefix { $0 != nil }
            .map { String(cString: $0!.pointee.data) }
    }

    func testANameThatNoOriginNeedsIsDropped() throws {
        var cache = DNSCache(CurlTransport.Configuration.Addresses())
        weak let name = cache.destination("a.example", 80)?.name
        XCTAssertNotNil(name)
        for number in 0..<1100 { _ = cache.destination("h\(number).example", 80) }
        XCTAssertNil(name)
    }
}
