import FreshetHTTP

/// Finds members of JSON objects in text without changing anything else of it. The text can be one document, one in each line, or
/// the data of events. Source: RFC 8259 section 7.
enum JSONMembers {
    struct Member {
        /// The name and the value as they are written, without their quotation marks.
        let name: Range<String.Index>
        let value: Range<String.Index>
    }

    /// The members whose values are strings, in their order. The strings of an array count as values of its name. A string that is
    /// cut off counts up to the end of the text.
    static func strings(in text: String) -> [Member] {
        var (members, scanner) = ([Member](), Scanner(text: text.utf8, index: text.startIndex))
        var last: Range<String.Index>?
        var (isNamed, depth) = (false, 0)
        while let byte = scanner.next() {
            switch byte {
            case UInt8(ascii: "\""):
                let string = scanner.string()
                if isNamed, let name = last, let string { members.append(Member(name: name, value: string)) }
                if depth == 0 { (last, isNamed) = (isNamed ? nil : string, false) }
            case UInt8(ascii: ":"): isNamed = last != nil
            case UInt8(ascii: "[") where isNamed: depth += 1
            case UInt8(ascii: "]") where depth > 1: depth -= 1
            case UInt8(ascii: "]"), UInt8(ascii: "{"), UInt8(ascii: "}"): (last, isNamed, depth) = (nil, false, 0)
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"): break
            // A number or a word between the strings of an array.
            default: if depth == 0 { (last, isNamed) = (nil, false) }
            }
        }
        return members
    }

    /// The text of a string without its escapes; as it is written, if these are no JSON.
    static func plain(_ string: Substring) -> String {
        guard string.utf8.contains(UInt8(ascii: "\\")) else { return String(string) }
        guard case .string(let plain)? = try? JSONValue(Array("\"\(string)\"".utf8)) else { return String(string) }
        return plain
    }

    private struct Scanner {
        let text: String.UTF8View
        var index: String.Index

        mutating func next() -> UInt8? {
            guard index < text.endIndex else { return nil }
            defer { index = text.index(after: index) }
            return text[index]
        }

        /// The rest of a string to its quotation mark or the end of the text; `nil` if the line ends before, because a string
        /// contains no line break.
        mutating func string() -> Range<String.Index>? {
            let start = index
            while let byte = next() {
                switch byte {
                case UInt8(ascii: "\""): return start..<text.index(before: index)
                case UInt8(ascii: "\\"): _ = next()
                case UInt8(ascii: "\n"), UInt8(ascii: "\r"): return nil
                default: break
                }
            }
            return start..<text.endIndex
        }
    }
}
