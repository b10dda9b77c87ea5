import ArgumentParser
import Foundation
import Freshet

/// The options that name the profile, and with it the source of the credential.
struct ProfileOptions: ParsableArguments {
    @Option(
        name: .customLong("config"),
        help: ArgumentHelp(
            "The configuration file.",
            discussion: "Else $FRESHET_CONFIG, else freshet/config.json in $XDG_CONFIG_HOME or ~/.config.",
            valueName: "file"),
        completion: .file(extensions: ["json"]))
    var configuration: String?

    @Option(
        name: .customLong("profile"),
        help: ArgumentHelp(
            "The profile of the configuration file with which requests are authenticated.", valueName: "name"),
        completion: .custom { words, _, _ in Self.names(after: words) })
    var name: String?

    func validate() throws {
        try NamedFiles.check([("--config", configuration)])
    }

    /// Fails without a profile. A command calls this when it runs, because the parser reports a failed validation in place of a
    /// misspelled option.
    func checkIsNamed(to purpose: String) throws {
        if name == nil { throw ValidationError("--profile is missing; name the profile to \(purpose)") }
    }

    /// The names of the profiles, for completion in a shell; none if no configuration file can be read. Names with a character
    /// that means something to a shell are left out: bash expands the words that it is offered, so it would run a command in one.
    private static func names(after words: [String]) -> [String] {
        let given = CommandArguments.value(of: "--config", in: words)
        let file = try? ConfigurationFile(path: given, environment: ProcessInfo.processInfo.environment)
        return file?.names.filter { $0.allSatisfy { $0.isLetter || $0.isNumber || "-_.@+/".contains($0) } } ?? []
    }

    /// - Parameter isDiscovered: whether an option names what discovery needs, so that the profile need not.
    func profile(isDiscovered: Bool = false) throws -> Profile? {
        guard let name else {
            if configuration != nil { Console.report("note: --config is not used without --profile NAME") }
            return nil
        }
        return try ConfigurationFile(path: configuration, environment: ProcessInfo.processInfo.environment).profile(
            name, isDiscovered: isDiscovered)
    }
}
