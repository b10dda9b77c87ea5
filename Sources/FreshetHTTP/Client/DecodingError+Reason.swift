import FoundationEssentials

extension HTTPClientError {
    /// The error for bytes that a decoder can't read. It names the place and the reason, such as
    /// `items[3].id: expected Int, found string`, and no value.
    ///
    /// - Parameters:
    ///   - subject: what the bytes are, such as `the body of the 200 response`.
    ///   - bytes: what was decoded.
    ///   - type: the type of the value.
    ///   - decoder: the decoder that failed.
    ///   - error: the decoder's error, which becomes ``underlying``.
    ///   - origin: where the bytes come from; empty if that is not known.
    public static func undecodable(
        _ subject: String, _ bytes: [UInt8], as type: any Any.Type, using decoder: any BodyDecoder,
        _ error: any Error, origin: String
    ) -> HTTPClientError {
        let reason =
            bytes.isEmpty ? ": it is empty" : (error as? DecodingError).map { ": \($0.reason(in: bytes))" } ?? ""
        return HTTPClientError(
            .decoding, phase: .decoding, origin: origin,
            message:
                "\(subject) \(decoder is JSONDecoder ? "is not the JSON of" : "can't be decoded as") \(type)\(reason)",
            recoverySuggestion: "see the underlying error", underlying: error)
    }
}

extension DecodingError {
    /// Where decoding has failed and why, such as `items[3].id: expected Int, found string`. It contains names of members, but no
    /// value.
    ///
    /// - Parameter json: the text that was decoded. Other formats are allowed, and then the found kind is left out.
    package func reason(in json: [UInt8]) -> String {
        let text = try? JSONValue(json)
        switch self {
        case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
            let found = text.flatMap { Self.value(at: context.codingPath, in: $0) }.map { ", found \($0.kind)" } ?? ""
            return Self.place(context.codingPath) + "expected \(Self.name(of: type))" + found
        case .keyNotFound(let key, let context):
            return Self.place(context.codingPath) + "the member \(Self.printable(key.stringValue)) is missing"
        case .dataCorrupted(let context):
            if context.codingPath.isEmpty, text == nil { return "the text is not valid" }
            return Self.place(context.codingPath) + "the value is not valid"
        @unknown default:
            return "it cannot be decoded"
        }
    }

    private static func place(_ path: [any CodingKey]) -> String {
        var text = ""
        for key in path {
            if let index = key.intValue { text += "[\(index)]" } else { text += "." + printable(key.stringValue) }
        }
        return text.isEmpty ? "" : "\(text.hasPrefix(".") ? String(text.dropFirst()) : text): "
    }

    /// A name that the server may have chosen, short and without control characters.
    private static func printable(_ name: String) -> String {
        String(name.unicodeScalars.filter { $0.properties.generalCategory != .control }.prefix(64).map(Character.init))
    }

    private static func name(of type: any Any.Type) -> String {
        switch "\(type)" {
        case let name where name.hasPrefix("Array<"): "array"
        case let name where name.hasPrefix("Dictionary<"): "object"
        case let name: name
        }
    }

    private static func value(at path: [any CodingKey], in json: JSONValue) -> JSONValue? {
        path.reduce(json) { value, key in
            guard let index = key.intValue, case .array(let elements)? = value else { return value?[key.stringValue] }
            return elements.indices.contains(index) ? elements[index] : nil
        }
    }
}

extension JSONValue {
    fileprivate var kind: String {
        switch self {
        case .null: "null"
        case .bool: "bool"
        case .number: "number"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        }
    }
}
