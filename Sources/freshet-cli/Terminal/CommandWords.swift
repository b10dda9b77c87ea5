import Foundation

/// The words of the command line, without the name of the command.
enum CommandWords {
    /// `CommandLine` looks for the words below the environment in memory, and finds none if a preloaded library has
    /// moved the environment.
    static let all: [String] = {
        let known = CommandLine.arguments.dropFirst()
        guard known.isEmpty, let record = try? Data(contentsOf: URL(fileURLWithPath: "/proc/self/cmdline")) else {
            return Array(known)
        }
        return split([UInt8](record))
    }()

    /// The value of `--profile`, or the word `NAME`, for a command in a message.
    static var profile: String { profile(in: all) }

    static func profile(in words: [String]) -> String {
        for (word, next) in zip(words, words.dropFirst() + ["NAME"]) {
            if word == "--profile" { return next }
            if word.hasPrefix("--profile=") { return String(word.dropFirst(10)) }
        }
        return "NAME"
    }

    /// Splits the kernel's record of a command line, in which each word ends with a zero.
    static func split(_ record: [UInt8]) -> [String] {
        record.dropLast().split(separator: 0, omittingEmptySubsequences: false).dropFirst()
            .map { String(decoding: $0, as: UTF8.self) }
    }
}
