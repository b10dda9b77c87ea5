/// Prepares the words of a command line for ArgumentParser, so that they mean the same as in curl.
///
/// Words such as `-sXPOST`, `-dNAME=VALUE` and `-fsSLo FILE` are split into flags and an option with its value; ArgumentParser
/// would look for an option with the name `dNAME`. A value that begins with a dash is joined to its option with an equals sign;
/// ArgumentParser would take it for an option, and would repeat it in an error.
enum JoinedOptions {
    private static let verbs: Set = ["get", "run", "events", "bench"]
    private static let flags = Set("fsSLNiIOGvk")
    /// The options with a value, including those that the command refuses. A refused value can be a secret, so it is split
    /// off and no error repeats it.
    private static let optionsWithValue = Set("XHdoAeuFTmxEcnbCDKUrw")
    /// The long options with a value. `--json` is not among them, because it is a flag of some verbs.
    private static let longOptions: Set = [
        "--access-token", "--burst", "--cacert", "--cache", "--cache-size", "--callback-host", "--callback-path",
        "--callback-port", "--cert", "--compare", "--concurrency", "--config", "--connect-timeout", "--data",
        "--data-ascii", "--data-binary", "--data-raw", "--data-urlencode", "--discover", "--duration", "--expires-in",
        "--form", "--from-store", "--header", "--hsts", "--interface", "--issuer", "--key", "--last-event-id",
        "--limit", "--loops", "--max-body", "--max-time", "--name", "--noproxy", "--output", "--pass", "--pinned-key",
        "--profile", "--proxy", "--rate", "--rate-limit", "--record", "--referer", "--refresh-token", "--replay",
        "--replay-or-record", "--replay-speed", "--report", "--request", "--requests", "--resolve", "--resource",
        "--retry", "--scope", "--streams", "--svg", "--timeout", "--unix-socket", "--upload-file", "--user",
        "--user-agent",
    ]

    /// Prepares the words of a command line, the first of which is the verb.
    static func split(_ words: [String]) -> [String] {
        guard let verb = words.first else { return words }
        var result: [String] = []
        // The option whose value is the next word.
        var option: String?
        for (index, word) in words.enumerated() {
            if let name = option {
                option = nil
                append(word, of: name, to: &result)
            } else if word == "--" {
                return result + words[index...]
            } else {
                var parts = verbs.contains(verb) ? parts(of: word) : [word]
                // A word with an option and its value has the value last, which may look like an option.
                if parts.count > 1, needsValue(parts[parts.count - 2], of: verb) {
                    let value = parts.removeLast()
                    result += parts
                    append(value, of: parts[parts.count - 1], to: &result)
                } else {
                    result += parts
                    option = parts.last.flatMap { needsValue($0, of: verb) ? $0 : nil }
                }
            }
        }
        return result
    }

    /// Appends a value to `words`, whose last is the option.
    private static func append(_ value: String, of option: String, to words: inout [String]) {
        if value.hasPrefix("-"), value != "-" {
            words[words.count - 1] = "\(option)=\(value)"
        } else {
            words.append(value)
        }
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

    /// Whether the value of `word` is the next word of the command line.
    static func needsValue(_ word: String, of verb: String?) -> Bool {
        if word == "--json" { return verb == "get" || verb == "events" }
        if longOptions.contains(word) { return true }
        return word.count == 2 && word.hasPrefix("-") && word.last.map(optionsWithValue.contains) == true
    }
}
