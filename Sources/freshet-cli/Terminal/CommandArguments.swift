import Foundation
import Freshet

/// The arguments of the command line, without the name of the command.
enum CommandArguments {
    /// `CommandLine` looks for the arguments below the environment in memory, and finds none if a preloaded library has
    /// moved the environment.
    static let all: [String] = {
        let known = CommandLine.arguments.dropFirst()
        guard known.isEmpty, let record = try? Data(contentsOf: URL(fileURLWithPath: "/proc/self/cmdline")) else {
            return Array(known)
        }
        return split([UInt8](record))
    }()

    /// The position of the first argument that is not UTF-8, which would be changed on its way; `nil` if there is none.
    static var malformed: Int? {
        (1..<max(1, Int(CommandLine.argc))).first { index in
            CommandLine.unsafeArgv[index].map { String(validatingCString: $0) == nil } ?? false
        }
    }

    /// Blanks the passwords and passphrases in the memory that the list of processes shows. Source: curl, which does the same.
    static func hideSecrets() {
        let arguments = (1..<max(1, Int(CommandLine.argc))).compactMap { CommandLine.unsafeArgv[$0] }
        // A word that is not UTF-8 is refused later. Repaired, it would be longer than its memory.
        let secrets = SecretArguments.ranges(in: arguments.map { String(validatingCString: $0) ?? "" })
        for (argument, secret) in zip(arguments, secrets) {
            memset(argument + secret.lowerBound, Int32(UInt8(ascii: " ")), secret.count)
        }
    }

    /// The value of `--profile` as a word for a shell, or the word `NAME`, for a command in a message.
    static var profile: String { profile(in: all) }

    static func profile(in arguments: [String]) -> String {
        value(of: "--profile", in: arguments).map(ShellWord.quoted) ?? "NAME"
    }

    /// The value of an option; `nil` if the option or its value is not there.
    static func value(of option: String, in words: [String]) -> String? {
        guard let index = words.firstIndex(where: { $0 == option || $0.hasPrefix("\(option)=") }) else { return nil }
        // bash completes `--option=value` as three words.
        if words[index] == option { return words.dropFirst(index + 1).first { $0 != "=" } }
        return String(words[index].dropFirst(option.count + 1))
    }

    /// Splits the kernel's record of a command line, in which each argument ends with a zero.
    static func split(_ record: [UInt8]) -> [String] {
        record.dropLast().split(separator: 0, omittingEmptySubsequences: false).dropFirst()
            .map { String(decoding: $0, as: UTF8.self) }
    }
}
