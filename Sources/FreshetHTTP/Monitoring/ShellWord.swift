/// Words and commands of a shell. Source: POSIX.1-2017, Shell Command Language, sections 2.2.2 and 2.6.
public enum ShellWord {
    private static let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+:,./-_")

    /// `text` as one word. It can be any text without NUL, which no word can hold.
    public static func quoted(_ text: String) -> String {
        if !text.isEmpty, text.allSatisfy(plain.contains) { return text }
        // By scalar: a quote that combines with a mark is still a quote to the shell.
        var word = "'"
        for scalar in text.unicodeScalars {
            if scalar == "'" { word += "'\\''" } else { word.unicodeScalars.append(scalar) }
        }
        return word + "'"
    }

    /// The command that writes `bytes`.
    static func printing(_ bytes: [UInt8]) -> String {
        "printf '\(bytes.map(printed).joined())'"
    }

    /// The command that writes the file, or a range of it. A redirection takes any path, also one that looks like an option.
    static func reading(_ path: String, _ range: Range<Int>?) -> String {
        let file = "<" + quoted(path)
        guard let range else { return "cat \(file)" }
        if range.lowerBound == 0 { return "head -c \(range.count) \(file)" }
        return "tail -c +\(range.lowerBound + 1) \(file) | head -c \(range.count)"
    }

    /// The characters for which `printf` writes `byte`. A hyphen could begin an option.
    private static func printed(_ byte: UInt8) -> String {
        if (0x20...0x7E).contains(byte), !"%\\'-".utf8.contains(byte) { return String(UnicodeScalar(byte)) }
        let digits = String(byte, radix: 8)
        return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
    }
}
