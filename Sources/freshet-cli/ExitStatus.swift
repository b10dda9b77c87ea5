import ArgumentParser
import Freshet

/// A signal asked the process to stop.
struct Stopped: Error {
    let signal: Int32
}

/// Ends the process with this status. Every message is already printed.
struct ExitStatus: Error {
    let code: Int32
}

extension FreshetCommand {
    /// Writes the message of `error` to standard error, or the parser's help to standard output.
    ///
    /// - Returns: the exit status.
    static func report(_ error: any Error) -> Int32 {
        switch error {
        case let error as ExitStatus:
            return error.code
        case let error as Stopped:
            return 128 + error.signal
        case is OutputClosed:
            return 0
        case let error as LoopError:
            return report(
                HTTPClientError(
                    .overloaded, phase: .preparing, message: "no loop can run: \(error)",
                    recoverySuggestion: "raise the limit of open files")
            )
        case let error as HTTPClientError:
            Console.report(error.commandLineMessage)
            return 1
        default:
            return reportParserError(error)
        }
    }

    /// The parser's message, with what to write in place of a word of curl that the command does not have.
    ///
    /// - Parameter text: the parser's message.
    static func message(insteadOf text: String) -> String {
        let words = MessageWithoutValues.message(
            text.hasPrefix("Error: ") ? String(text.dropFirst(7)) : text, about: CommandArguments.all)
        let guess = #/ Did you mean '[^']*'\?/#
        guard let advice = CommandLineAdvice.advice(about: text) else {
            // The parser guesses among the options of the command, and not its own.
            guard
                let (_, option, other) = words.firstMatch(of: /Unknown option '(--[a-z]+)'. Did you mean '([^']*)'/)?
                    .output,
                String(option).editDistance(to: "--help") < String(option).editDistance(to: String(other))
            else { return words }
            return words.replacing(guess, with: " Did you mean '--help'?")
        }
        // The parser guesses an option that is spelled alike, which misleads beside what curl's option is here.
        return words.replacing(guess, with: "") + "\n\(advice)"
    }

    /// The parser's message. It complains about a missing address before it complains about an option that it does not know.
    private static func fullText(of error: any Error) -> String {
        let text = fullMessage(for: error)
        guard text.contains("Missing expected argument '<url>'") else { return text }
        do {
            _ = try command(of: CommandArguments.all + ["http://localhost"])
            return text
        } catch {
            let other = fullMessage(for: error)
            return other.contains("Unknown option") ? other : text
        }
    }

    /// Reports an error that has no case in ``report(_:)``. ArgumentParser's help is no failure and exits with 0; its status 64
    /// becomes 2.
    private static func reportParserError(_ error: any Error) -> Int32 {
        let (text, status) = (fullText(of: error), exitCode(for: error))
        guard status != .success else {
            do {
                try printResult(BashCompletions.corrected(text, verbs: FreshetCommand.verbs))
                return 0
            } catch {
                return report(error)
            }
        }
        Console.report(message(insteadOf: text))
        return status == .validationFailure ? 2 : 1
    }
}
