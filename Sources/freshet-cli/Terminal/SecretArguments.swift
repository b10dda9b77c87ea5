/// Finds the passwords and passphrases in the words of a command line.
enum SecretArguments {
    /// The bytes of each word that are secret; an empty range for a word without a secret.
    ///
    /// - Parameter words: the words without the name of the command.
    static func ranges(in words: [String]) -> [Range<Int>] {
        // The option whose value is the next word.
        var option: String?
        var isPositional = false
        return words.map { word in
            if let name = option {
                option = nil
                return secret(of: name, in: word, from: 0)
            }
            if word == "--" { isPositional = true }
            if isPositional { return 0..<0 }
            if word.hasPrefix("--"), let sign = word.utf8.firstIndex(of: UInt8(ascii: "=")) {
                let start = word.utf8.distance(from: word.startIndex, to: sign) + 1
                return secret(of: String(word[..<sign]), in: word, from: start)
            }
            let parts = JoinedOptions.parts(of: word)
            if let value = parts.last, let name = parts.dropLast().last, JoinedOptions.needsValue(name, of: words.first)
            {
                return secret(of: name, in: word, from: word.utf8.count - value.utf8.count)
            }
            option = parts.last.flatMap { JoinedOptions.needsValue($0, of: words.first) ? $0 : nil }
            return 0..<0
        }
    }

    /// The secret in the value of `option`, which begins at the byte `start` of `word`.
    private static func secret(of option: String, in word: String, from start: Int) -> Range<Int> {
        let bytes = Array(word.utf8)
        let value = bytes[start...]
        switch option {
        case "--pass": return start..<bytes.count
        case "-u", "--user": return after(value.firstIndex(of: UInt8(ascii: ":")), in: value)
        case "-E", "--cert": return after(passphraseColon(in: value), in: value)
        case "-x", "--proxy":
            guard let end = value.lastIndex(of: UInt8(ascii: "@")) else { return 0..<0 }
            let scheme = value.firstRange(of: Array("://".utf8))?.upperBound ?? start
            guard scheme <= end else { return 0..<0 }
            return after(value[scheme..<end].firstIndex(of: UInt8(ascii: ":")), in: value[..<end])
        default: return 0..<0
        }
    }

    private static func after(_ colon: Int?, in value: ArraySlice<UInt8>) -> Range<Int> {
        colon.map { $0 + 1..<value.endIndex } ?? 0..<0
    }

    /// The first colon that has no backslash, as ``CertificateArgument`` reads it.
    private static func passphraseColon(in value: ArraySlice<UInt8>) -> Int? {
        var isEscaped = false
        return value.firstIndex { byte in
            defer { isEscaped = !isEscaped && byte == UInt8(ascii: "\\") }
            return byte == UInt8(ascii: ":") && !isEscaped
        }
    }
}
