import ArgumentParser
import Foundation
import Freshet
import Synchronization

@main
struct FreshetCommand: ParsableCommand {
    /// The version of the package, which is also the tag of its release.
    static let version = HTTPClient.version

    static let configuration = CommandConfiguration(
        commandName: "freshet",
        abstract: "Sends HTTP requests whose tokens are always fresh.",
        discussion: """
            Results go to standard output, progress, notes and errors to standard error. Exit codes: 0 all well; \
            1 something failed; 2 the words of the command are wrong; 22 `get` got a status of 400 or above, \
            except a 416 for a complete --resume; 130 stopped by Ctrl-C.
            """,
        version: "freshet \(version)",
        subcommands: [Demo.self, Get.self, Run.self, Events.self, Bench.self, Login.self, Logout.self, Status.self])

    static func main() {
        openStandardDescriptors()
        signal(SIGPIPE, SIG_IGN)
        _ = Signals.shared
        OpenFiles.raiseLimit()
        makeRoomForHelp()
        let status: Int32
        do {
            try checkVerb()
            let words = CommandArguments.all
            // Parsing takes milliseconds, in which the list of processes would show the secrets.
            CommandArguments.hideSecrets()
            var command = try command(of: words)
            status = try run(&command)
        } catch {
            status = report(error)
        }
        ShutdownHooks.shared.run()
        Console.flush()
        Foundation.exit(status)
    }

    /// Runs a command. A mistake in its words that shows only then points to the help of its verb.
    private static func run(_ command: inout any ParsableCommand) throws -> Int32 {
        do {
            try command.run()
            return LayerOptions.isRecordingIncomplete.load(ordering: .acquiring) ? 1 : 0
        } catch let error as ValidationError where !(command is Self) {
            Console.report(
                "\(error.message)\nSee 'freshet \(verb(of: type(of: command))) --help' for more information.")
            return 2
        }
    }

    /// The command that the words of a command line describe.
    static func command(of words: [String]) throws -> any ParsableCommand {
        try parseAsRoot(JoinedOptions.split(words))
    }

    /// Opens `/dev/null` in place of standard descriptors that the parent has closed, so that no socket gets their numbers.
    /// Reading standard input and writing the others still fails.
    private static func openStandardDescriptors() {
        for (descriptor, mode) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
        where fcntl(descriptor, F_GETFD) < 0 {
            // `open` returns the lowest free number, which is this one.
            _ = open("/dev/null", mode)
        }
    }

    /// Makes the help at least 60 columns wide: the parser writes two columns, and traps if the second has no room.
    private static func makeRoomForHelp() {
        if outputWidth < 60 { setenv("COLUMNS", "60", 1) }
    }

    /// Refuses a first word that is no verb. Without this check the parser complains about the first option after it. The
    /// message repeats the word only if it looks like a verb, because it may be an address with a password.
    private static func checkVerb() throws {
        if let position = CommandArguments.malformed {
            throw ValidationError("argument \(position) is not UTF-8; write such bytes into a file, as for -d @FILE")
        }
        var words = CommandArguments.all[...]
        if words.first == "help" { words.removeFirst() }
        guard let word = words.first, !word.hasPrefix("-"), !(verbs + ["help"]).contains(word) else { return }
        let isWord = word.count <= 16 && word.allSatisfy { $0.isASCII && ($0.isLetter || $0 == "-") }
        throw ValidationError(
            "\(isWord ? "\(word) is no verb" : "the first word is no verb"); \(advice(for: word) ?? choice)")
    }

    /// What to write in place of an address or a method.
    private static func advice(for word: String) -> String? {
        let method = word.uppercased()
        if method == "GET" || word.contains("://") { return "write freshet get URL" }
        return CommandLineAdvice.methods.contains(method) ? "write freshet get -X \(method) URL" : nil
    }

    private static func verb(of command: any ParsableCommand.Type) -> String { "\(command)".lowercased() }
    static var verbs: [String] { configuration.subcommands.map(verb) }
    private static var choice: String { "the verbs are \(verbs.joined(separator: ", "))" }

    /// Fails, because the command line has no verb.
    func run() throws {
        throw ValidationError("a verb is missing; \(Self.choice)")
    }
}
