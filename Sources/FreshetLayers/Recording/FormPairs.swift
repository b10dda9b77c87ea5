/// Finds the pairs of a query or of a form, as they are written. A text can contain forms between other words.
///
/// It reads bytes, because reading a body by characters takes a hundred times as long.
enum FormPairs {
    /// Calls `body` with each name and value of a query or form, up to a `#`. The value is `nil` without an equals sign.
    static func forEach(in form: some StringProtocol, _ body: (String, String?) -> Void) {
        let bytes = Array(form.utf8)
        scan(bytes, endsAtMarks: false) { name, value in
            guard !name.isEmpty || value != nil else { return }
            body(text(bytes[name]), value.map { text(bytes[$0]) })
        }
    }

    /// Calls `body` with each name and value in a text. A form contains no white space, and none of the marks of JSON and XML.
    ///
    /// - Parameter longestName: longer names are passed over.
    static func forEach(inText string: String, longestName: Int, _ body: (String, String) -> Void) {
        let bytes = Array(string.utf8)
        scan(bytes, endsAtMarks: true) { name, value in
            guard let value, !value.isEmpty, name.count <= longestName else { return }
            body(text(bytes[name]), text(bytes[value]))
        }
    }

    /// The text without the encoding of forms; as it is written, if it has none.
    static func decoded(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else { return text }
        var (plain, rest) = ([UInt8](), Array(text.utf8)[...])
        while let byte = rest.popFirst() {
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            if byte == UInt8(ascii: "%"), digits.utf8.count == 2, let value = UInt8(digits, radix: 16) {
                plain.append(value)
                rest = rest.dropFirst(2)
            } else {
                plain.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return String(decoding: plain, as: UTF8.self)
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

    private static func scan(_ bytes: [UInt8], endsAtMarks: Bool, _ body: (Range<Int>, Range<Int>?) -> Void) {
        var (start, equals, isOver) = (0, Int?.none, false)
        func end(at end: Int) {
            if !isOver { body(start..<(equals ?? end), equals.map { $0 + 1..<end }) }
            (start, equals) = (end + 1, nil)
        }
        for (index, byte) in bytes.enumerated() {
            switch byte {
            case UInt8(ascii: "="): equals = equals ?? index
            case UInt8(ascii: "&"): end(at: index)
            case UInt8(ascii: "#"):
                end(at: index)
                isOver = true
            case 0x09...0x0D, UInt8(ascii: " "), UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "<"),
                UInt8(ascii: ">"), UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "["), UInt8(ascii: "]"):
                guard endsAtMarks else { break }
                end(at: index)
                isOver = false
            default: break
            }
        }
        end(at: bytes.count)
    }
}
