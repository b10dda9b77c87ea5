/// The script of completions for bash.
enum BashCompletions {
    /// The script of the argument parser, changed so that only the names of files are completed as such. Otherwise bash adds a
    /// slash to the name of a profile or a verb if there is a folder of that name. A bash without `compopt` does so still.
    ///
    /// - Parameter script: a script for bash; any other text stays as it is.
    static func namingFilesAlone(_ script: String) -> String {
        guard script.hasPrefix("#!/bin/bash") else { return script }
        let start = "    local -r cur=\"${2}\"\n"
        let addition = "    local completion\n"
        return script.replacing(start, with: "    compopt +o filenames 2>/dev/null\n\(start)")
            .replacing(addition, with: "    [[ \"${1}\" = -W ]] || compopt -o filenames 2>/dev/null\n\(addition)")
    }
}
