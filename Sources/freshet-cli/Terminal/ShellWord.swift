extension String {
    /// The text as one word for a shell, which runs no command in it. It is put in quotation marks unless all its characters are
    /// plain.
    var asShellWord: String {
        wholeMatch(of: /[A-Za-z0-9_.:@%+,\/-]+/) == nil ? "'\(replacing("'", with: #"'\''"#))'" : self
    }
}
