import ArgumentParser
import Foundation
import Freshet

/// The value of `-u`: a user and a password, which no message repeats.
struct UserArgument: ExpressibleByArgument {
    private let text: String

    init?(argument: String) {
        text = argument
    }

    /// The value of `Authorization`. Source: RFC 7617.
    ///
    /// - Throws: `ValidationError` if the password is missing and no terminal can be asked for it.
    func authorization() throws -> String {
        let pair = text.utf8.contains(UInt8(ascii: ":")) ? text : "\(text):\(try password())"
        return "Basic \(Data(pair.utf8).base64EncodedString())"
    }

    private func password() throws -> String {
        var input = SecretInput()
        guard isatty(STDIN_FILENO) == 1 else {
            throw ValidationError("-u has no password, and no terminal can be asked for it; write -u USER:PASSWORD")
        }
        guard let password = try input.line("password of \(text)") else {
            throw ValidationError("-u has no password; write one at the prompt, or -u USER:PASSWORD")
        }
        return password
    }
}
