import FreshetCore

/// Returns the requirements of a `CredentialStore` that a kind of store does not meet, one sentence for each. A correct store
/// returns none.
///
/// ```swift
/// func testItMeetsTheRequirementsOfAStore() {
///     XCTAssertEqual(conformanceFailures { MemoryFixture() }, [])
/// }
/// ```
public func conformanceFailures(of makeFixture: () throws -> any StoreFixture) -> [String] {
    (StoreRequirement.ofRecords + StoreRequirement.ofTheLock + StoreRequirement.ofLosses + StoreRequirement.ofGates)
        .compactMap {
            requirement in
            let before = Resources.total
            do {
                try check(requirement, in: try makeFixture())
            } catch {
                return "\(requirement.name): \(error)"
            }
            let left = Resources.total - before
            return left == 0 ? nil : "\(requirement.name): \(left) resources are left"
        }
}

// The fixture is released before the resources are counted.
private func check(_ requirement: StoreRequirement, in fixture: any StoreFixture) throws {
    defer { fixture.close() }
    try requirement.check(fixture)
}
