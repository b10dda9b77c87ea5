import ArgumentParser

/// The value of `-E`: the file of a certificate, and the passphrase of its key, which no message repeats.
struct CertificateArgument: ExpressibleByArgument {
    let path: String
    /// What follows the first colon that has no backslash; `nil` without one, as in curl.
    let passphrase: String?

    init?(argument: String) {
        var path = ""
        var rest = argument[...]
        while let letter = rest.popFirst(), letter != ":" {
            if letter == "\\", let escaped = rest.first, ":\\".contains(escaped) {
                path.append(rest.removeFirst())
            } else {
                path.append(letter)
            }
        }
        self.path = path
        passphrase = rest.isEmpty ? nil : String(rest)
    }
}
