/// A promise that every store keeps, and the test of it.
struct StorePromise: Sendable {
    let name: String
    let keep: @Sendable (any StorePlace) throws -> Void

    init(_ name: String, _ keep: @escaping @Sendable (any StorePlace) throws -> Void) {
        self.name = name
        self.keep = keep
    }
}

/// The breach of a promise.
struct Breach: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

func expect(_ isSo: Bool, _ breach: @autoclosure () -> String) throws {
    guard isSo else { throw Breach(breach()) }
}

func expect<Value: Equatable>(_ value: Value, is other: Value, _ what: String) throws {
    try expect(value == other, "\(what): \(value) is not \(other)")
}
