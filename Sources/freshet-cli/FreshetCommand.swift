import ArgumentParser
import Foundation
import Freshet

@main
struct FreshetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "freshet",
        abstract: "Sends HTTP requests whose tokens are always fresh.",
        discussion: """
            Results go to standard output, progress and complaints to standard error. Exit codes: 0 all well; \
            1 something failed; 2 the words of the command are wrong; 22 `get` got a status of 400 or above; \
            130 stopped by Ctrl-C.
            """,
        subcommands: [Demo.self, Get.self, Run.self, Login.self])

    static func main() {
        openStandardDescriptors()
        signal(SIGPIPE, SIG_IGN)
        _ = Signals.shared
        OpenFiles.raiseLimit()
        let status: Int32
        do {
            var command = try parseAsRoot()
            try command.run()
            status = 0
        } catch {
            status = report(error)
        }
        Farewell.shared.say()
        Console.flush()
        Foundation.exit(status)
    }

    /// Fills the places of descriptors that somebody has closed, before a socket lands there. Their use fails all the same.
    private static func openStandardDescriptors() {
        for (descriptor, mode) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
        where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest that is free is this one.
            _ = open("/dev/null", mode)
        }
    }

    /// A verb is needed.
    func run() throws {
        throw ValidationError("a verb is missing")
    }
}
