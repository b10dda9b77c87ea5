import ArgumentParser

/// Options of curl that set how much is written to standard error, and options of curl for what the command always
/// does.
struct CurlOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Write no progress, no notes and no errors to standard error.")
    var silent = false

    @Flag(name: [.customShort("S"), .long], help: "Write errors with --silent, too.")
    var showError = false

    @Flag(help: "Ask for a compressed response, which is always done.")
    var compressed = false

    @Flag(name: [.customShort("N"), .long], help: "Write what comes at once, which is always done.")
    var noBuffer = false

    /// Makes the console as quiet as the options ask.
    func apply() {
        if silent { Console.silence(keepingErrors: showError) }
    }
}
