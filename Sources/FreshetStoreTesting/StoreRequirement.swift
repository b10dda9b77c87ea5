/// A requirement of every store, and its check.
struct StoreRequirement: Sendable {
    let name: String
    let check: @Sendable (any StoreFixture) throws -> Void

    init(_ name: String, _ check: @escaping @Sendable (any StoreFixture) throws -> Void) {
        self.name = name
        self.check = check
    }
}

/// A requirement that a store does not meet.
struct UnmetRequirement: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

func expect(_ condition: Bool, _ message: @autoclosure () -> String) throws {
    guard condition else { throw UnmetRequirement(message()) }
}

func expect<Value: Equatable>(_ value: Value, is other: Value, _ what: String) throws {
    try expect(value == other, "\(what): \(value) is not \(other)")
}
