/// Splits words such as `-sXPOST`, `-dNAME=VALUE` and `-fsSLo FILE`, which curl reads as flags and an option with its value.
/// ArgumentParser would look for an option with the name `dNAME`.
enum JoinedOptions {
    private static let verbs: Set = ["get", "run", "events", "bench"]
    private static let flags = Set("fsSLNiIOGvk")
    /// The options with a value, including those that the command refuses. A refused value can be a secret, so it is split
    /// off and no error repeats it.
    private static let optionsWithValue = Set("XHdoAeuFTmxEcnbCDKUrw")
    /// The long options whose value may begin with a dash.
    private static let longOptions: Set = [
        "--header", "--data", "--data-ascii", "--data-binary", "--data-raw", "--data-urlencode", "--user-agent",
        "--referer", "--user", "--json", "--form", "--upload-file",
    ]

    /// Splits the words of a command line, the first of which is the verb, into words that ArgumentParser can read. The values
    /// of options are not split.
    static func split(_ words: [String]) -> [String] {
        guard let verb = words.first, verbs.contains(verb) else { return words }
        var result: [String] = []
        var isValue = false
        for (index, word) in words.enumerated() {
            if word == "--", !isValue { return result + words[index...] }
            let parts = isValue ? [word] : parts(of: word)
            result += parts
            // A word with an option and its value has the value last, which may look like an option.
            isValue = !isValue && parts.last.map(needsValue) == true && parts.dropLast().last.map(needsValue) != true
        }
        return result
    }

    /// The parts of a word; the value of an option, if it is in the word, comes last.
    static func parts(of word: String) -> [String] {
        guard word.hasPrefix("-"), !word.hasPrefix("--") else { return [word] }
        let letters = word.dropFirst()
        let flags = letters.prefix { Self.flags.contains($0) }
        let option = letters.dropFirst(flags.count)
        guard let letter = option.first, optionsWithValue.contains(letter) else { return [word] }
        let value = option.dropFirst()
        return flags.map { "-\($0)" } + ["-\(letter)"] + (value.isEmpty ? [] : [String(value)])
    }

    static func needsValue(_ word: String) -> Bool {
        if longOptions.contains(word) { return true }
        return word.count == 2 && word.hasPrefix("-") && word.last.map(optionsWithValue.contains) == true
    }
}
