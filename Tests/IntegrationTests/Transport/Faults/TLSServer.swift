import Foundation
import FreshetCore
import XCTest

/// Runs `openssl s_server`, and reads and writes what is inside its TLS. It serves one connection at a time.
// Unchecked, because `init` sets its state before the reading thread starts, and later only that thread changes it.
class TLSServer: @unchecked Sendable {
    let port: UInt16
    let caFile: String
    private let directory: URL
    private var child = pid_t()
    private var input: Int32 = -1
    private var output: Int32 = -1
    private let isOver = DispatchSemaphore(value: 0)

    var url: String { "https://localhost:\(port)" }

    /// - Parameters:
    ///   - protocols: the protocols that ALPN offers.
    ///   - response: what the process itself sends after the first line of a `GET /response`. It then ends TLS and the
    ///     connection.
    /// - Throws: `XCTSkip` if openssl is not installed.
    init(protocols: String, port: UInt16 = freePort(), response: String? = nil) throws {
        self.port = port
        let openssl = "/usr/bin/openssl"
        guard FileManager.default.isExecutableFile(atPath: openssl) else { throw XCTSkip("openssl is not installed") }
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("freshet-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let (key, certificate) = (directory.path + "/key.pem", directory.path + "/ca.pem")
        caFile = certificate
        var status: Int32 = 0
        waitpid(
            try Self.spawn(
                openssl,
                [
                    "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout",
                    key,
                    "-out", certificate, "-days", "2", "-subj", "/CN=localhost", "-addext",
                    "subjectAltName=DNS:localhost",
                ], input: nil, output: nil), &status, 0)
        guard status == 0 else { throw XCTSkip("openssl makes no certificate") }
        var (down, up): ([Int32], [Int32]) = ([0, 0], [0, 0])
        guard pipe(&down) == 0, pipe(&up) == 0 else { throw XCTSkip("no descriptors are left") }
        for fd in down + up { _ = fcntl(fd, F_SETFD, FD_CLOEXEC) }
        (input, output) = (down[1], up[0])
        try response?.write(toFile: directory.path + "/response", atomically: true, encoding: .utf8)
        // The process finds the response in its own directory.
        child = try Self.spawn(
            "/bin/sh",
            [
                "-c", "cd \"$0\" && exec \"$@\"", directory.path, openssl, "s_server", "-accept", "127.0.0.1:\(port)",
                "-cert", certificate, "-key", key, "-alpn", protocols,
                response == nil ? "-quiet" : "-HTTP",
            ], input: down[0], output: up[1])
        close(down[0])
        close(up[1])
        waitUntilItListens()
    }

    /// Begins to read. The initializer of a subclass calls it last.
    func start() {
        Thread.detachNewThread { [self] in
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = read(output, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                if count <= 0 { break }
                received(buffer[..<count])
            }
            isOver.signal()
        }
    }

    /// Called with bytes of the client, on the reading thread.
    func received(_ bytes: ArraySlice<UInt8>) {}

    /// - Returns: whether the server accepts more bytes.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(input, $0.baseAddress, $0.count) }
            if count < 0, errno != EINTR { return false }
            rest = rest.dropFirst(max(0, count))
        }
        return true
    }

    /// Kills the process, which ends the connection without the closing message of TLS. It waits until the bytes sent before
    /// have left the process, and 50 ms more.
    func kill() {
        for _ in 0..<2000 where hasClient && !hasSentAll { usleep(5000) }
        usleep(50_000)
        Glibc.kill(child, SIGKILL)
    }

    /// Ends the server. A test must call it at its end.
    func stop() {
        Glibc.kill(child, SIGKILL)
        isOver.wait()
        var status: Int32 = 0
        waitpid(child, &status, 0)
        close(input)
        close(output)
        try? FileManager.default.removeItem(at: directory)
    }

    /// Whether the process has read all its input, and sleeps.
    private var hasSentAll: Bool {
        var waiting: Int32 = 0
        guard ioctl(input, UInt(FIONREAD), &waiting) == 0, waiting == 0 else { return false }
        // The state follows the name, which is in parentheses.
        let status = (try? String(contentsOfFile: "/proc/\(child)/stat", encoding: .utf8)) ?? ""
        return status.split(separator: ")").last?.hasPrefix(" R") == false
    }

    /// Whether a client is connected: the process then has a socket beside the listener. After the client has left, the process
    /// sends nothing more.
    private var hasClient: Bool {
        let directory = "/proc/\(child)/fd/"
        let all = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        let targets = all.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: directory + $0) }
        return targets.count { $0.hasPrefix("socket:") } > 1
    }

    private func waitUntilItListens() {
        let entry = Data("0100007F:\(String(format: "%04X", Int(port))) 00000000:0000 0A".utf8)
        for _ in 0..<2000 {
            // The listeners come first in the table, before the connections, of which there may be very many.
            let table = FileHandle(forReadingAtPath: "/proc/net/tcp")
            if table?.readData(ofLength: 1 << 18).range(of: entry) != nil { return }
            usleep(5000)
        }
    }

    private static func spawn(_ path: String, _ arguments: [String], input: Int32?, output: Int32?) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (fd, target) in [(input, Int32(0)), (output, 1)] {
            if let fd {
                posix_spawn_file_actions_adddup2(&actions, fd, target)
            } else {
                posix_spawn_file_actions_addopen(&actions, target, "/dev/null", O_RDWR, 0)
            }
        }
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_RDWR, 0)
        var words = ([path] + arguments).map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        var child = pid_t()
        guard posix_spawn(&child, path, &actions, nil, &words, environ) == 0 else {
            throw XCTSkip("\(path) does not start")
        }
        return child
    }
}

/// An HTTP/1.1 server inside TLS that sends the next of its texts to each request, and may then end without a closing message.
final class SecureServer: TLSServer, @unchecked Sendable {
    private let responses: Locked<[(text: String, ends: Bool)]>
    private var head: [UInt8] = []

    init(port: UInt16 = freePort(), _ responses: (text: String, ends: Bool)...) throws {
        self.responses = Locked(responses)
        try super.init(protocols: "http/1.1", port: port)
        start()
    }

    override func received(_ bytes: ArraySlice<UInt8>) {
        head += bytes
        guard head.suffix(4) == [13, 10, 13, 10] else { return }
        head = []
        guard let next = responses.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return }
        send(Array(next.text.utf8))
        if next.ends { kill() }
    }
}
