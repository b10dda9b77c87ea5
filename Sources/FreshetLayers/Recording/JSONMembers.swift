/// Finds members of JSON objects in text without changing anything else of it. The text can be one document, one in each line, or
/// the data of events. Source: RFC 8259 section 7.
enum JSONMembers {
    struct Member {
        /// The name and the value as they are written, without their quotation marks.
        let name: Range<String.Index>
        let value: Range<String.Index>
    }

    /// The members whose values are strings, in their order. The strings of an array count as values of its name.
    static func strings(in text: String) -> [Member] {
        var (members, scanner) = ([Member](), Scanner(text: text.utf8, index: text.startIndex))
        var last: Range<String.Index>?
        var (isNamed, isArray) = (false, false)
        while let byte = scanner.next() {
            switch byte {
            case UInt8(ascii: "\""):
                let string = scanner.string()
                if isNamed, let name = last, let string { members.append(Member(name: name, value: string)) }
                if !isArray { (last, isNamed) = (isNamed ? nil : string, false) }
            case UInt8(ascii: ":"): isNamed = last != nil
            case UInt8(ascii: "[") where isNamed: isArray = true
            case UInt8(ascii: ",") where isArray: break
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"): break
            default: (last, isNamed, isArray) = (nil, false, false)
            }
        }
        return members
    }

    private struct Scanner {
        let text: String.UTF8View
        var index: String.Index

        mutating func next() -> UInt8? {
            guard index < text.endIndex else { return nil }
            defer { index = text.index(after: index) }
            return text[index]
        }

        /// The rest of a string to its quotation mark; `nil` if the line ends before, which a string cannot contain.
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
            return nil
        }
    }
}
