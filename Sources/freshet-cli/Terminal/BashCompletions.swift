/// The script of completions for bash.
enum BashCompletions {
    /// The script of the argument parser with two changes.
    ///
    /// - Only the names of files are completed as such. Otherwise bash adds a slash to the name of a profile or a verb if there is
    ///   a folder of that name. A bash without `compopt` does so still.
    /// - `help` is completed with the verbs. The parser's own `help` has no completions.
    ///
    /// - Parameters:
    ///   - script: a script for bash; any other text stays as it is.
    ///   - verbs: the verbs of the command.
    static func corrected(_ script: String, verbs: [String]) -> String {
        guard script.hasPrefix("#!/bin/bash") else { return script }
        let start = "    local -r cur=\"${2}\"\n"
        let addition = "    local completion\n"
        let help = "_freshet_help() {\n"
        let offer = "    COMPREPLY+=($(compgen -W '\(verbs.joined(separator: " "))' -- \"${cur}\"))\n"
        return script.replacing(help, with: help + offer)
            .replacing(start, with: "    compopt +o filenames 2>/dev/null\n\(start)")
            .replacing(addition, with: "    [[ \"${1}\" = -W ]] || compopt -o filenames 2>/dev/null\n\(addition)")
    }
}
