import Foundation

/// Reads secret lines from standard input. On a terminal it prompts for each line, and the terminal does not show it.
///
/// It reads until the wanted lines are complete, and does not wait for the end of the input.
struct SecretInput {
    private var rest: [UInt8] = []
    private var hasEnded = false

    /// The next line, without the white space around it; `nil` at the end of the input.
    mutating func line(_ name: String) throws -> String? {
        guard isatty(STDIN_FILENO) == 1 else { return try line() }
        defer { Console.write("\n") }
        return try withoutEcho {
            // Not before: whoever answers at once would see the secret.
            Console.write("\(name), which is not shown: ")
            Console.flush()
            return try line()
        }
    }

    private mutating func line() throws -> String? {
        while true {
            let isWhole = rest.contains(UInt8(ascii: "\n"))
            if isWhole || hasEnded {
                if !isWhole, rest.isEmpty { return nil }
                let line = rest.prefix { $0 != UInt8(ascii: "\n") }
                rest = Array(rest.dropFirst(line.count + 1))
                return String(decoding: line, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
            }
            let piece = try read(upTo: 64 * 1024, from: STDIN_FILENO)
            hasEnded = piece.isEmpty
            rest += piece
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
    tcsetattr(STDIN_FILENO, TCSANOW, &settings)
    defer {
        Signals.shared.removeHandler()
        restore()
    }
    return try body()
}
