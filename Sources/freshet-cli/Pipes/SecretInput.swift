import CFreshetSystem
import Foundation
import Freshet

/// Reads secret lines from standard input. On a terminal it prompts for each line, and the terminal does not show it.
///
/// It reads until the wanted lines are complete, and does not wait for the end of the input.
struct SecretInput {
    private var rest: [UInt8] = []
    private var hasEnded = false

    /// The longest line in bytes that a terminal passes on. It drops the rest of a longer one. Source: termios(3).
    private static let longestTypedLine = 4095

    /// The longest line in bytes from a file or a pipe, which can have no end.
    private static let longestLine = 1 << 20

    /// The next line, without its line break; `nil` at the end of the input. Spaces belong to it.
    ///
    /// - Throws: ``HTTPClientError`` with code `invalidRequest` for a line that the terminal may have cut.
    mutating func line(_ name: String) throws -> String? {
        guard isatty(STDIN_FILENO) == 1 else { return try readLine(name) }
        defer { Console.write("\n") }
        let line = try typedLine(name)
        guard line.map({ $0.utf8.count < Self.longestTypedLine }) ?? true else {
            throw HTTPClientError.refusal(
                "the \(name) has more than the \(Self.longestTypedLine - 1) bytes that a terminal passes on",
                "write it into a file, and give that as the standard input with < FILE")
        }
        return line
    }

    private mutating func typedLine(_ name: String) throws -> String? {
        try withoutEcho {
            // Not before: whoever answers at once would see the secret.
            Console.write("\(name), which is not shown: ")
            Console.flush()
            return try readLine(name)
        }
    }

    private mutating func readLine(_ name: String) throws -> String? {
        while !hasEnded, !rest.contains(UInt8(ascii: "\n")) {
            guard rest.count <= Self.longestLine else {
                throw HTTPClientError.refusal(
                    "the \(name) on standard input has more than \(Self.longestLine >> 20) MiB", "check what is read")
            }
            let piece = try piece()
            hasEnded = piece.isEmpty
            rest += piece
        }
        if rest.isEmpty { return nil }
        let line = rest.prefix { $0 != UInt8(ascii: "\n") }
        rest = Array(rest.dropFirst(line.count + 1))
        return String(decoding: line, as: UTF8.self).trimmingCharacters(in: .newlines)
    }

    private func piece() throws -> [UInt8] {
        do {
            return try read(upTo: 64 * 1024, from: STDIN_FILENO)
        } catch {
            throw HTTPClientError.refusal(
                "the standard input can't be read: \(error)", "connect it with a terminal, a file or a pipe")
        }
    }
}

/// Turns off the terminal's echo until `body` ends, or until the process ends in the meantime.
private func withoutEcho<Result>(_ body: () throws -> Result) rethrows -> Result {
    var settings = termios()
    guard tcgetattr(STDIN_FILENO, &settings) == 0 else { return try body() }
    let before = settings
    settings.c_lflag &= ~tcflag_t(ECHO)
    @Sendable func restore() {
        if freshet_is_in_background() != 0 { return }
        var before = before
        tcsetattr(STDIN_FILENO, TCSANOW, &before)
    }
    ShutdownHooks.shared.add(restore)
    Signals.shared.handle { number in
        restore()
        Console.write("\n")
        Console.flush()
        _exit(128 + number)
    }
    freshet_begin_prompt(&settings)
    defer {
        freshet_end_prompt()
        Signals.shared.removeHandler()
        restore()
    }
    return try body()
}
