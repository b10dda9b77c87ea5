public import FreshetHTTP

/// One line of NDJSON: its value, or the reason why it has none.
public struct JSONLine<Value: Sendable>: Sendable {
    /// The number of the line, from 1. Empty lines count too.
    public var number: Int
    /// The value. The failure has code `decoding` if the line is not the JSON of a value, or `tooLarge` if the line
    /// exceeds the limit.
    public var result: Result<Value, HTTPClientError>

    /// Creates a line, for tests of code that processes lines.
    public init(number: Int, result: Result<Value, HTTPClientError>) {
        self.number = number
        self.result = result
    }

    /// The value, or `nil` if the line is malformed.
    public var value: Value? { try? result.get() }

    /// The error of a malformed line; `nil` if there is a value.
    public var error: HTTPClientError? {
        if case .failure(let error) = result { error } else { nil }
    }
}

extension JSONLine: Equatable where Value: Equatable {
    /// Compares errors by their code.
    public static func == (one: JSONLine, other: JSONLine) -> Bool {
        one.number == other.number && one.value == other.value && one.error?.code == other.error?.code
    }
}
