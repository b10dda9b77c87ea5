import FreshetCore

/// Returns the promises of a `CredentialStore` that a kind of store breaks, one sentence for each. A correct store breaks none.
///
/// ```swift
/// func testItKeepsWhatEveryStorePromises() {
///     XCTAssertEqual(brokenPromises { MemoryPlace() }, [])
/// }
/// ```
public func brokenPromises(of makePlace: () throws -> any StorePlace) -> [String] {
    (StorePromise.ofRecords + StorePromise.ofTheLock + StorePromise.ofLosses + StorePromise.ofGates).compactMap {
        promise in
        let before = Resources.total
        do {
            try keep(promise, in: try makePlace())
        } catch {
            return "\(promise.name): \(error)"
        }
        let left = Resources.total - before
        return left == 0 ? nil : "\(promise.name): \(left) resources are left"
    }
}

// The place is released before the resources are counted.
private func keep(_ promise: StorePromise, in place: any StorePlace) throws {
    defer { place.close() }
    try promise.keep(place)
}
