import FreshetHTTP

/// Finds secrets in JSON without changing anything else of a text. The text can be one document, one in each line, or the data of
/// events. Source: RFC 8259 section 7.
enum JSONSecrets {
    /// What is secret of a value. Each case includes what the one before it includes.
    enum Secrecy: Int, Comparable {
        case nothing
        /// The value if it is a string but no word. The code of an error or of a currency is a word.
        case unlessWord
        /// The value if it is a string, and the strings of an array.
        case strings
        /// The strings inside of a secret object, whatever their names.
        case content
        /// The value if it is a string or number, those of an array, and the strings inside of an object.
        case everything

        static func < (one: Secrecy, other: Secrecy) -> Bool { one.rawValue < other.rawValue }

        /// What is secret in an object that is such a value.
        var inObject: Secrecy { self >= .content ? .content : .nothing }
    }

    struct Value {
        /// As it is written, without its quotation marks.
        let range: Range<String.Index>
        let isNumber: Bool
        let secrecy: Secrecy
    }

    private struct Container {
        let isArray: Bool
        /// Of the values in it that have no secret name of their own.
        let secrecy: Secrecy
    }

    /// The secret values, in their order. One that is cut off counts up to the end of the text.
    ///
    /// - Parameter secrecyOf: what is secret of the value with a name, which is given without its escapes.
    static func values(in text: String, where secrecyOf: (String) -> Secrecy) -> [Value] {
        var (values, scanner) = ([Value](), Scanner(text: text.utf8, index: text.startIndex))
        // The last string, which is a name if a colon follows.
        var (last, isNamed) = (Range<String.Index>?.none, false)
        // Those that surround the next value, from the outermost one that is secret.
        var containers: [Container] = []
        func next() -> Secrecy {
            let inherited = containers.last?.secrecy ?? .nothing
            guard isNamed, let last else { return inherited }
            return max(inherited, secrecyOf(plain(text[last])))
        }
        while let byte = scanner.next() {
            switch byte {
            case UInt8(ascii: "\""):
                let string = scanner.string()
                if isNamed || containers.last?.isArray == true, let string, case let secrecy = next(),
                    secrecy > .nothing, secrecy > .unlessWord || !isWord(text[string])
                {
                    values.append(Value(range: string, isNumber: false, secrecy: secrecy))
                }
                (last, isNamed) = (isNamed ? nil : string, false)
            case UInt8(ascii: ":"): isNamed = last != nil
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                let (secrecy, isArray) = (next(), byte == UInt8(ascii: "["))
                if secrecy > .nothing || !containers.isEmpty {
                    containers.append(Container(isArray: isArray, secrecy: isArray ? secrecy : secrecy.inObject))
                }
                (last, isNamed) = (nil, false)
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                _ = containers.popLast()
                (last, isNamed) = (nil, false)
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"): break
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                let number = scanner.number()
                if isNamed || containers.last?.isArray == true, next() == .everything {
                    values.append(Value(range: number, isNumber: true, secrecy: .everything))
                }
                (last, isNamed) = (nil, false)
            default: (last, isNamed) = (nil, false)
            }
        }
        return values
    }

    /// Whether a string consists of words, such as `email_taken`, `EUR` or `notFound`.
    private static func isWord(_ string: Substring) -> Bool {
        string.utf8.count <= 40
            && string.wholeMatch(
                of: /[a-z]+([ ._\/-][a-z]+)*|[A-Z]+([ ._\/-][A-Z]+)*|[A-Za-z][a-z]+([A-Z][a-z]+)*/) != nil
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

        /// The number that begins with the byte before.
        mutating func number() -> Range<String.Index> {
            let start = text.index(before: index)
            while index < text.endIndex, "+-.eE0123456789".utf8.contains(text[index]) {
                index = text.index(after: index)
            }
            return start..<index
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
