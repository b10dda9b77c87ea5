public import FreshetHTTP

/// What one line of NDJSON says: its value, or why it has none.
public struct JSONLine<Value: Sendable>: Sendable {
    /// From 1; empty lines are counted too.
    public var number: Int
    /// Fails with code `decoding` where the line is not the JSON of the value, and with `tooLarge` where it is over the
    /// limit.
    public var result: Result<Value, HTTPClientError>

    /// What ``number`` and ``result`` say; for tests of what takes lines.
    public init(number: Int, result: Result<Value, HTTPClientError>) {
        self.number = number
        self.result = result
    }

    /// The value, or `nil` if the line is malformed.
    public var value: Value? { try? result.get() }

    /// What is wrong with the line, if something is.
    public var error: HTTPClientError? {
        if case .failure(let error) = result { error } else { nil }
    }
}

extension JSONLine: Equatable where Value: Equatable {
    /// Errors are compared by their code.
    public static func == (one: JSONLine, other: JSONLine) -> Bool {
        one.number == other.number && one.value == other.value && one.error?.code == other.error?.code
    }
}
