import ArgumentParser
import Foundation
import Freshet

/// Where the credential comes from.
struct ProfileOptions: ParsableArguments {
    @Option(
        name: .customLong("config"),
        help: ArgumentHelp(
            "The configuration file.",
            discussion: "Else $FRESHET_CONFIG, else freshet/config.json in $XDG_CONFIG_HOME or ~/.config.",
            valueName: "file"))
    var configuration: String?

    @Option(
        name: .customLong("profile"),
        help: ArgumentHelp(
            "The profile of the configuration file with which requests are authenticated.", valueName: "name"))
    var name: String?

    func profile() throws -> Profile? {
        try name.map {
            try ConfigurationFile(path: configuration, environment: ProcessInfo.processInfo.environment).profile($0)
        }
    }
}
