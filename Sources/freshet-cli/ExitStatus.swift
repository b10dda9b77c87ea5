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
        guard let advice = CommandLineAdvice.advice(about: text) else { return words }
        // The parser guesses an option that is spelled alike, which misleads beside what curl's option is here.
        return words.replacing(#/ Did you mean '[^']*'\?/#, with: "") + "\n\(advice)"
    }

    /// Reports an error that has no case in ``report(_:)``. ArgumentParser's help is no failure and exits with 0; its status 64
    /// becomes 2.
    private static func reportParserError(_ error: any Error) -> Int32 {
        let (text, status) = (fullMessage(for: error), exitCode(for: error))
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
