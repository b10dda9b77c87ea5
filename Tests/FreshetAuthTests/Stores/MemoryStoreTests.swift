import FreshetAuth
import FreshetCore
import FreshetStoreTesting
import FreshetTesting
import XCTest

final class MemoryStoreTests: XCTestCase {
    func testAMemoryStoreMeetsTheRequirementsOfAStore() {
        XCTAssertEqual(conformanceFailures { MemoryFixture() }, [])
    }
}

private final class MemoryFixture: VirtualFixture, StoreFixture {
    private let store = MemoryStore()

    func makeStore() -> any CredentialStore { store }
}
