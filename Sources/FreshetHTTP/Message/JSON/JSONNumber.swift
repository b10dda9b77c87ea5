/// A number of JSON. A whole number keeps up to 38 digits, because many identifiers have more than the 15 that a `Double` keeps.
/// Any other number is the nearest `Double`. Source: RFC 8259 section 6.
///
/// ```swift
/// if case .number(let number)? = document["id"], let id = Int64(exactly: number) { … }
/// ```
public struct JSONNumber: Sendable, Hashable {
    private enum Value: Hashable {
        case whole(Int128)
        case double(Double)
    }

    private let value: Value

    /// Creates a number with all digits of `number`, or the nearest `Double` if there are more than 38.
    public init(_ number: some BinaryInteger) {
        value = Int128(exactly: number).map(Value.whole) ?? .double(Double(number))
    }

    /// Creates a number from a finite `number`. JSON has no others.
    public init(_ number: Double) {
        value = Int64(exactly: number).map { .whole(Int128($0)) } ?? .double(number)
    }

    fileprivate var whole: Int128? {
        if case .whole(let whole) = value { whole } else { nil }
    }

    fileprivate var double: Double {
        switch value {
        case .whole(let whole): Double(whole)
        case .double(let double): double
        }
    }
}

extension FixedWidthInteger {
    /// The number, if it is whole and in the range of the type; otherwise `nil`.
    public init?(exactly number: JSONNumber) {
        guard let whole = number.whole else { return nil }
        self.init(exactly: whole)
    }
}

extension Double {
    /// The number, or the nearest `Double`.
    public init(_ number: JSONNumber) { self = number.double }
}

extension JSONNumber: CustomStringConvertible {
    public var description: String { whole.map(String.init) ?? String(double) }
}

extension JSONNumber: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
    public init(integerLiteral value: Int) { self.init(value) }
    public init(floatLiteral value: Double) { self.init(value) }
}

extension JSONNumber: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let whole = try? container.decode(Int64.self) {
            self.init(whole)
            return
        }
        let double = try container.decode(Double.self)
        // Tried last, because not every decoder knows them.
        if abs(double) >= 0x1p63, let whole = try? container.decode(UInt64.self) {
            self.init(whole)
        } else if abs(double) >= 0x1p63, let whole = try? container.decode(Int128.self) {
            self.init(whole)
        } else {
            self.init(double)
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        // Not every encoder knows the longer types.
        if let whole = Int64(exactly: self) {
            try container.encode(whole)
        } else if let whole = UInt64(exactly: self) {
            try container.encode(whole)
        } else if let whole {
            try container.encode(whole)
        } else {
            try container.encode(double)
        }
    }
}
