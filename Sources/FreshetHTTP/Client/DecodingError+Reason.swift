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
            let (place, value) = Self.locate(context.codingPath, in: text)
            return place + "expected \(Self.name(of: type))" + (value.map { ", found \($0.kind)" } ?? "")
        case .keyNotFound(let key, let context):
            let place = Self.locate(context.codingPath, in: text).place
            return place + "the member \(Self.printable(key.stringValue)) is missing"
        case .dataCorrupted(let context):
            if context.codingPath.isEmpty, text == nil { return "the text is not valid" }
            return Self.locate(context.codingPath, in: text).place + "the value is not valid"
        @unknown default:
            return "it cannot be decoded"
        }
    }

    /// The place at `path`, with the names that stand in `json`, and the value there.
    private static func locate(
        _ path: [any CodingKey], in json: JSONValue?
    ) -> (place: String, value: JSONValue?) {
        var text = ""
        var value = json
        for key in path {
            let name = name(of: key, in: value)
            if let index = key.intValue { text += "[\(index)]" } else { text += "." + printable(name) }
            if let index = key.intValue, case .array(let elements)? = value {
                value = elements.indices.contains(index) ? elements[index] : nil
            } else {
                value = value?[name]
            }
        }
        return (text.isEmpty ? "" : "\(text.hasPrefix(".") ? String(text.dropFirst()) : text): ", value)
    }

    /// The name of the member of `object` that `key` means. A decoder with `convertFromSnakeCase` reports its own spelling.
    private static func name(of key: any CodingKey, in object: JSONValue?) -> String {
        let name = key.stringValue
        guard case .object(let members)? = object, members[name] == nil else { return name }
        func folded(_ name: String) -> String { name.filter { $0 != "_" }.lowercased() }
        let candidates = members.keys.filter { folded($0) == folded(name) }
        return candidates.count == 1 ? candidates[0] : name
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
