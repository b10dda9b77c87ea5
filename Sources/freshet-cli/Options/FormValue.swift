/// The value of a form's field, with its parameters. Source: curl 7.88.1, `src/tool_formparse.c`.
struct FormValue {
    enum Source {
        case text
        /// The content of a file, without its name.
        case content
        case file
    }

    private(set) var source = Source.text
    /// The value, or the path of the file.
    private(set) var text = ""
    private(set) var type: String?
    private(set) var filename: String?
    /// A parameter of curl that the command does not have.
    private(set) var refusedParameter: String?
    /// Whether a part of the argument is neither a value nor a parameter.
    private(set) var isCut = false

    init(_ value: Substring) {
        var rest = value
        switch rest.first {
        case "@": source = .file
        case "<": source = .content
        default: break
        }
        if source != .text { rest.removeFirst() }
        text = word(&rest)
        // A semicolon after a type may belong to it, as before its charset.
        var continuesType = false
        while rest.popFirst() == ";" {
            var parameter = rest.drop(while: Self.isSpace)
            if !continuesType, Self.removeName("type", from: &parameter) {
                type = String(Self.removeBlock(from: &parameter).drop(while: Self.isSpace))
                continuesType = true
            } else if Self.removeName("filename", from: &parameter) {
                filename = word(&parameter)
                continuesType = false
            } else if let name = ["encoder", "headers"].first(where: { Self.removeName($0, from: &parameter) }) {
                refusedParameter = name
                _ = word(&parameter)
            } else if continuesType {
                parameter = rest
                type! += ";" + Self.removeBlock(from: &parameter)
            } else if !word(&parameter).isEmpty {
                isCut = true
            }
            rest = parameter
        }
        type = type.map { Self.withoutSpacesAtTheEnd($0[...]) }
    }

    /// Removes a word from the front of `rest`. The word ends at a semicolon, or it is in quotation marks.
    private mutating func word(_ rest: inout Substring) -> String {
        rest = rest.drop(while: Self.isSpace)
        guard let quoted = Self.removeQuotedWord(from: &rest) else {
            return Self.withoutSpacesAtTheEnd(Self.removeBlock(from: &rest))
        }
        if !Self.removeBlock(from: &rest).allSatisfy(Self.isSpace) { isCut = true }
        return quoted
    }

    /// - Returns: `nil` without an end of the quotation, where the quotation mark is a character like any other.
    private static func removeQuotedWord(from rest: inout Substring) -> String? {
        guard rest.first == "\"" else { return nil }
        var after = rest.dropFirst()
        var word = ""
        while let next = after.popFirst() {
            if next == "\"" {
                rest = after
                return word
            }
            // A backslash escapes these two alone; any other stands for itself, as in a path of Windows.
            let isEscape = next == "\\" && (after.first == "\\" || after.first == "\"")
            word.append(isEscape ? after.removeFirst() : next)
        }
        return nil
    }

    private static func removeBlock(from rest: inout Substring) -> Substring {
        let block = rest.prefix { $0 != ";" }
        rest = rest[block.endIndex...]
        return block
    }

    private static func removeName(_ name: String, from rest: inout Substring) -> Bool {
        guard rest.prefix(name.count + 1).lowercased() == "\(name)=" else { return false }
        rest = rest.dropFirst(name.count + 1)
        return true
    }

    private static func withoutSpacesAtTheEnd(_ text: Substring) -> String {
        String(text.prefix(text.count - text.reversed().prefix(while: isSpace).count))
    }

    private static func isSpace(_ character: Character) -> Bool { character.isASCII && character.isWhitespace }
}
