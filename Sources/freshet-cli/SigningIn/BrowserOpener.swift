import Foundation
import Freshet

/// Opens an address in a browser, by `$BROWSER` or else by `xdg-open`. The caller does not wait for the browser, and the output
/// of the browser is dropped.
enum BrowserOpener {
    /// Whether this machine can show a browser.
    static var hasDisplay: Bool {
        let environment = ProcessInfo.processInfo.environment
        return ["DISPLAY", "WAYLAND_DISPLAY"].contains { environment[$0]?.isEmpty == false }
    }

    static func open(_ url: RequestURL) {
        let environment = ProcessInfo.processInfo.environment
        let named = (environment["BROWSER"] ?? "").split(separator: ":").map(String.init)
        DispatchQueue.global().async {
            for command in named + ["xdg-open"] where run(command, url.absoluteString) { return }
            Console.report("note: no browser could be opened; open the address yourself")
        }
    }

    /// - Returns: whether the command has succeeded, or still runs after 3 s.
    private static func run(_ command: String, _ address: String) -> Bool {
        // The address is an argument of its own, so that no shell interprets it.
        var words = command.split(separator: " ").map(String.init)
        if words.contains(where: { $0.contains("%s") }) {
            words = words.map { $0.replacing("%s", with: address) }
        } else {
            words.append(address)
        }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["--"] + words
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        // A child inherits an ignored signal, but not a handler: the browser gets the default again.
        signal(SIGPIPE) { _ in }
        guard (try? process.run()) != nil else { return false }
        let deadline = Date.now.addingTimeInterval(3)
        while process.isRunning, Date.now < deadline { usleep(20_000) }
        return process.isRunning || process.terminationStatus == 0
    }
}
