import Foundation

/// One public operator, as its source declares it.
struct Operator {
    /// The folder under `Operators`.
    let folder: String
    /// The name, such as `delay(_:scheduler:)`. Overloads that differ only in the number of their sources share a name.
    let name: String
    /// The text between the doc comment and the body.
    let signature: String
    /// The lines of the doc comment, without the slashes.
    let doc: [String]

    var isTimed: Bool {
        folder == "Timing" || signature.range(of: #"\bany SchedulerType\b"#, options: .regularExpression) != nil
    }
}

/// The public operators of the library, parsed from its sources.
enum OperatorInventory {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    /// The paths of the Swift files below `folder`.
    static func files(below folder: String) throws -> [String] {
        // The folder may be a symbolic link.
        let base = root.appendingPathComponent(folder).resolvingSymlinksInPath()
        return try FileManager.default.subpathsOfDirectory(atPath: base.path)
            .filter { $0.hasSuffix(".swift") }.sorted().map { "\(folder)/\($0)" }
    }

    static func operators() throws -> [Operator] {
        try files(below: "Sources/FreshetCore/Operators").flatMap { path in
            let folder = path.split(separator: "/").dropLast().last.map(String.init) ?? ""
            return declarations(in: try text(path)).compactMap { signature, doc in
                name(of: signature).map { Operator(folder: folder, name: $0, signature: signature, doc: doc) }
            }
        }
    }

    /// The public functions and properties in extensions and in the classes of observables, with their doc comments. Deprecated
    /// names are not among them.
    static func declarations(in source: String) -> [(signature: String, doc: [String])] {
        var found: [(String, [String])] = []
        var doc: [String] = []
        var signature: String?
        var isInside = false
        var isFormer = false
        for line in source.components(separatedBy: "\n") {
            if let first = line.first, first != " ", first != "}", first != "/", first != "@" {
                isInside =
                    line.range(of: #"^(extension |public (final )?class \w*Observable\b)"#, options: .regularExpression)
                    != nil
            }
            let trimmed = line.trimmingCharacters(in: .whitespaces)
            if let open = signature {
                signature = open + " " + trimmed
            } else if trimmed.hasPrefix("///") {
                doc.append(String(trimmed.dropFirst(trimmed.hasPrefix("/// ") ? 4 : 3)))
            } else if isInside, line.hasPrefix("    public "), !line.hasPrefix("     "), isDeclaration(trimmed) {
                signature = trimmed
            } else if trimmed.hasPrefix("@") {
                isFormer = isFormer || trimmed.contains("deprecated")
            } else {
                doc = []
            }
            if let whole = signature, whole.hasSuffix("{") || whole.hasSuffix("}"), isBalanced(whole) {
                if !isFormer { found.append((whole, doc)) }
                signature = nil
                isFormer = false
                doc = []
            }
        }
        return found
    }

    private static func isBalanced(_ text: String) -> Bool {
        text.filter { $0 == "(" }.count == text.filter { $0 == ")" }.count
    }

    private static func isDeclaration(_ line: String) -> Bool {
        line.range(of: #"^public (static )?(func|var) "#, options: .regularExpression) != nil
    }

    /// The name in a declaration, such as `delay(_:scheduler:)`.
    static func name(of signature: String) -> String? {
        guard let keyword = signature.range(of: #"\b(func|var) "#, options: .regularExpression) else { return nil }
        let rest = signature[keyword.upperBound...]
        let base = rest.prefix { $0.isLetter || $0.isNumber || $0 == "`" }.filter { $0 != "`" }
        if signature[keyword].hasPrefix("var") { return base }
        return parameters(of: rest.dropFirst(base.count)).map { parameters in
            let labels = parameters.map { $0.prefix { $0 != " " && $0 != ":" } + ":" }.map(String.init)
            return "\(base)(\(collapsed(labels).joined()))"
        }
    }

    /// The parameters between the parentheses, split at the commas. Generic parameters may precede them.
    private static func parameters(of text: Substring) -> [String]? {
        var (round, angled) = (0, 0)
        var last: Character = " "
        var parameters = [""]
        for character in text {
            defer { last = character }
            switch character {
            case "<": angled += 1
            case ">" where last != "-": angled -= 1
            case "(", "[": if round > 0 || angled == 0 { round += 1 }
            case ")", "]": if round > 0 { round -= 1 }
            default: break
            }
            if round == 0, character == ")", angled == 0 {
                return parameters.map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
            } else if round == 1, angled == 0, character == "," {
                parameters.append("")
            } else if round > 1 || round == 1 && character != "(" {
                parameters[parameters.count - 1].append(character)
            }
        }
        return nil
    }

    /// Replaces several `_:` in a row by one, because the overloads for two to eight sources are one operator.
    private static func collapsed(_ labels: [String]) -> [String] {
        labels.enumerated().filter { $0 == 0 || $1 != "_:" || labels[$0 - 1] != "_:" }.map(\.element)
    }
}
