import FoundationEssentials

/// A JSON value of any shape, for documents whose shape the program does not know.
public enum JSONValue: Sendable, Hashable {
    case null
    case bool(Bool)
    case number(JSONNumber)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// Reads JSON text, in a time that is linear in its size. A byte order mark before it is ignored. If an object has a member
    /// twice, the last one counts.
    ///
    /// - Throws: ``JSONError`` if `bytes` are not JSON, are nested more than 512 levels deep, or hold a number that is too large.
    public init(_ bytes: some Sequence<UInt8>) throws {
        let bytes = Array(bytes)
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        self = try bytes.withUnsafeBufferPointer { bytes in
            let text = bytes.starts(with: mark) ? UnsafeBufferPointer(rebasing: bytes[mark.count...]) : bytes
            var reader = JSONReader(text)
            let value = try Self(from: &reader)
            try reader.end()
            return value
        }
    }

    private init(from reader: inout JSONReader) throws {
        switch try reader.kind() {
        case .null:
            try reader.skip()
            self = .null
        case .bool:
            self = .bool(try reader.skip().first == UInt8(ascii: "t"))
        case .number:
            self = .number(try reader.number())
        case .string:
            self = .string(try reader.string())
        case .array:
            var elements: [JSONValue] = []
            try reader.elements { elements.append(try JSONValue(from: &$0)) }
            self = .array(elements)
        case .object:
            var members: [String: JSONValue] = [:]
            try reader.members { members[$0] = try JSONValue(from: &$1) }
            self = .object(members)
        }
    }

    /// The value as JSON text.
    public func encoded() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(self))
    }

    /// The text of a string, a number or a truth value, for comparisons; `nil` for other values.
    public var text: String? {
        switch self {
        case .string(let string): string
        case .number(let number): number.description
        case .bool(let bool): String(bool)
        case .null, .array, .object: nil
        }
    }

    /// The value of a number, or of a string that holds a number, as some servers send it; `nil` for other values.
    public var seconds: Double? {
        switch self {
        case .number(let number): Double(number)
        case .string(let string): Double(string)
        default: nil
        }
    }
}

extension JSONValue: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let bool = try? container.decode(Bool.self) {
            self = .bool(bool)
        } else if let number = try? container.decode(JSONNumber.self) {
            self = .number(number)
        } else if let string = try? container.decode(String.self) {
            self = .string(string)
        } else if let elements = try? container.decode([JSONValue].self) {
            self = .array(elements)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let bool): try container.encode(bool)
        case .number(let number): try container.encode(number)
        case .string(let string): try container.encode(string)
        case .array(let elements): try container.encode(elements)
        case .object(let members): try container.encode(members)
        }
    }
}
