import Foundation
import XCTest

/// A server program in the foreground, with a configuration in a temporary directory and certificates of its own authority.
/// It ends with this object.
// Sendable, because it is immutable.
final class ServerProcess: Sendable {
    let certificates: Certificates
    /// The port for plain HTTP, and the port for TLS.
    let ports: (plain: UInt16, secure: UInt16)
    private let child: pid_t
    private let log: String

    var plain: String { "http://localhost:\(ports.plain)" }
    var secure: String { "https://localhost:\(ports.secure)" }
    var caFile: String { certificates.path("ca.pem") }

    /// The values to which a configuration refers.
    struct Site {
        let certificates: Certificates
        let plainPort: UInt16
        let securePort: UInt16

        var directory: String { certificates.directory.path }
        var certificate: String { certificates.path("server.pem") }
        var key: String { certificates.path("server.key") }

        /// - Returns: the path of the file.
        @discardableResult
        func write(_ text: String, to name: String) throws -> String {
            try text.write(toFile: certificates.path(name), atomically: true, encoding: .utf8)
            return certificates.path(name)
        }
    }

    /// - Parameter arguments: writes the configuration, and returns the arguments of the program.
    /// - Throws: `XCTSkip` if the program or openssl is not installed.
    init(_ program: String, _ arguments: (Site) throws -> [String]) throws {
        let path = try Command.find(program)
        certificates = try Certificates()
        try certificates.makeSelfSigned("ca", subject: "Freshet Test CA")
        try certificates.make("server", names: "DNS:localhost,IP:127.0.0.1", by: "ca")
        ports = (freePort(), freePort())
        log = certificates.path("log")
        let site = Site(certificates: certificates, plainPort: ports.plain, securePort: ports.secure)
        child = try Self.spawn([path] + arguments(site), in: site.directory, log: log)
        for port in [ports.plain, ports.secure] { try waitUntilItListens(on: port) }
    }

    deinit {
        // The program's own children are in its group.
        kill(child, SIGTERM)
        for _ in 0..<200 where waitpid(child, nil, WNOHANG) == 0 { usleep(10_000) }
        kill(-child, SIGKILL)
        waitpid(child, nil, 0)
    }

    func signal(_ number: Int32) { kill(child, number) }

    /// Waits for a minute at most until its log in the file `error.log` contains `text` at least `times` times.
    func waitUntilOutputContains(_ text: String, times: Int) -> Bool {
        for _ in 0..<6000 {
            let log = (try? String(contentsOfFile: certificates.path("error.log"), encoding: .utf8)) ?? ""
            if log.components(separatedBy: text).count > times { return true }
            usleep(10_000)
        }
        return false
    }

    private func waitUntilItListens(on port: UInt16) throws {
        for _ in 0..<2000 {
            if LoopbackSocket.isOpen(port) { return }
            usleep(10_000)
        }
        throw NotListening(log: (try? String(contentsOfFile: log, encoding: .utf8)) ?? "")
    }

    private struct NotListening: Error {
        let log: String
    }

    // Foundation's Process gives a child no process group of its own.
    private static func spawn(_ words: [String], in directory: String, log: String) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
        var arguments = words.map { strdup($0) } + [nil]
        // The files that programs keep between their runs belong in the directory, too.
        let names = ["HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"]
        var variables = ProcessInfo.processInfo.environment
        for name in names { variables[name] = directory }
        var environment = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { (arguments + environment).forEach { free($0) } }
        var child = pid_t()
        let result = posix_spawn(&child, words[0], &actions, &attributes, &arguments, &environment)
        guard result == 0 else { throw XCTSkip("\(words[0]) does not start: \(String(cString: strerror(result)))") }
        return child
    }
}

extension LoopbackSocket {
    /// Whether a program listens on a port of this machine.
    static func isOpen(_ port: UInt16) -> Bool {
        let descriptor = socket(AF_INET, streamSocket, 0)
        defer { close(descriptor) }
        return withAddress(port: port) { connect(descriptor, $0, $1) } == 0
    }
}
