import FreshetAuth
import FreshetCore
import FreshetStoreTesting
import FreshetTesting
import XCTest

final class MemoryStoreTests: XCTestCase {
    func testItKeepsWhatEveryStorePromises() {
        XCTAssertEqual(brokenPromises { MemoryPlace() }, [])
    }
}

private final class MemoryPlace: VirtualPlace, StorePlace {
    private let store = MemoryStore()

    func makeStore() -> any CredentialStore { store }
}
