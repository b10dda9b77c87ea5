import Freshet

extension JSONValue {
    /// Parses a JSON text.
    ///
    /// - Throws: ``JSONError`` with the offset of the error.
    init(parsing bytes: [UInt8]) throws {
        self = try bytes.withUnsafeBufferPointer { bytes in
            var reader = JSONReader(bytes)
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
            self = .number(Double(String(decoding: try reader.skip(), as: UTF8.self)) ?? .infinity)
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
}
