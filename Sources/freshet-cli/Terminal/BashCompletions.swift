/// The script of completions for bash.
enum BashCompletions {
    /// The script of the argument parser with three changes.
    ///
    /// - Only the names of files are completed as such. Otherwise bash adds a slash to the name of a profile or a verb if there is
    ///   a folder of that name. A bash without `compopt` does so still.
    /// - The words that bash splits at a colon, an equals or an at sign are joined, as in an address. Otherwise each part counts as an
    ///   argument, and no options are offered after the address. The word that is completed, and the word before it, remain
    ///   those of bash, which replaces the part behind the colon alone.
    /// - `help` is completed with the verbs. The parser's own `help` has no completions.
    ///
    /// - Parameters:
    ///   - script: a script for bash; any other text stays as it is.
    ///   - verbs: the verbs of the command.
    static func corrected(_ script: String, verbs: [String]) -> String {
        guard script.hasPrefix("#!/bin/bash") else { return script }
        let start = "    local -r cur=\"${2}\"\n"
        let entry = "_freshet() {\n"
        let addition = "    local completion\n"
        let help = "_freshet_help() {\n"
        let offer = "    COMPREPLY+=($(compgen -W '\(verbs.joined(separator: " "))' -- \"${cur}\"))\n"
        return script.replacing(help, with: help + offer)
            .replacing(
                start, with: "    compopt +o filenames 2>/dev/null\n    __freshet_join_words || return 0\n\(start)"
            )
            .replacing(entry, with: joining + entry)
            .replacing(addition, with: "    [[ \"${1}\" = -W ]] || compopt -o filenames 2>/dev/null\n\(addition)")
    }

    /// The words that stand together in the line are joined. If the line does not hold the words, they stay as they are.
    private static let joining = #"""
        __freshet_join_words() {
            local rest="${COMP_LINE}"
            local -a joined=()
            local previous='' trimmed word
            local -i current=0 index
            for index in "${!COMP_WORDS[@]}"; do
                word="${COMP_WORDS[${index}]}"
                trimmed="${rest##*([[:space:]])}"
                [[ "${trimmed}" = "${word}"* ]] || return 0
                if [[ "${index}" -gt 0 && "${trimmed}" = "${rest}" ]] &&
                    [[ "${word}" = [:=@]* || "${previous}" = [:=@]* ]]
                then
                    # No option begins within a word.
                    [[ "${index}" -ne "${COMP_CWORD}" || "${word}" != -* ]] || return 1
                    joined[${#joined[@]} - 1]+="${word}"
                else
                    joined+=("${word}")
                fi
                [[ "${index}" -ne "${COMP_CWORD}" ]] || current="$((${#joined[@]} - 1))"
                rest="${trimmed#"${word}"}"
                previous="${word}"
            done
            COMP_WORDS=("${joined[@]}")
            COMP_CWORD="${current}"
        }


        """#
}
