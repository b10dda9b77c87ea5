import CFreshetSystem
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
        guard let child = spawn(["env", "--"] + words) else { return false }
        let deadline = ContinuousClock.now.advanced(by: .seconds(3))
        var status: Int32 = 0
        while true {
            switch waitpid(child, &status, WNOHANG) {
            case child: return status == 0
            case 0 where ContinuousClock.now < deadline: usleep(20_000)
            // It still runs, or this program was started to ignore the ends of its children.
            default: return true
            }
        }
    }

    /// Starts `env`, without input and output.
    private static func spawn(_ arguments: [String]) -> pid_t? {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        // libcurl and the program that runs this one leave files open, which a browser would keep for hours.
        let open = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        for descriptor in open.compactMap(Int32.init) where descriptor > STDERR_FILENO {
            posix_spawn_file_actions_addclose(&actions, descriptor)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        freshet_spawn_with_default_signals(&attributes)
        var words = arguments.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var child = pid_t()
        return posix_spawn(&child, "/usr/bin/env", &actions, &attributes, &words, environ) == 0 ? child : nil
    }
}
