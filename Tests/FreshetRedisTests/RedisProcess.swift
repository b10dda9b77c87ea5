#if Redis
    import Foundation
    import XCTest

    /// A `redis-server` of its own, on a free port and a socket in a directory that goes with it.
    final class RedisProcess {
        static let executable = [
            "/usr/bin/redis-server", "/usr/local/bin/redis-server", "/opt/homebrew/bin/redis-server",
        ]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

        let port: Int
        let directory: URL
        private let options: [String]
        private var process: Process?

        /// - Parameter options: as in its configuration, `["requirepass", "secret"]`.
        init(_ options: [String] = []) throws {
            directory = FileManager.default.temporaryDirectory.appendingPathComponent("freshet-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            self.options = options
            port = try Self.freePort()
            try start()
        }

        deinit {
            if let process {
                kill(process.processIdentifier, SIGCONT)
                kill(process.processIdentifier, SIGKILL)
                process.waitUntilExit()
            }
            try? FileManager.default.removeItem(at: directory)
        }

        var socket: String { directory.appendingPathComponent("s").path }

        func url(key: String = "k") -> String { "redis://127.0.0.1:\(port)/0?key=\(key)" }

        /// Starts it, again after a ``stop(_:)``, and waits until it answers.
        ///
        /// - Parameter prepare: what to do before anybody else can reach it.
        func start(waiting: Bool = true, before prepare: ((RedisProcess) throws -> Void)? = nil) throws {
            guard let executable = Self.executable else { throw XCTSkip("there is no redis-server") }
            let process = Process()
            process.executableURL = URL(fileURLWithPath: executable)
            var arguments = ["--port", "\(prepare == nil ? port : 0)", "--bind", "127.0.0.1", "--dir", directory.path]
            arguments += ["--unixsocket", socket, "--save", "", "--appendonly", "no", "--loglevel", "warning"]
            for (index, option) in options.enumerated() { arguments.append(index % 2 == 0 ? "--" + option : option) }
            process.arguments = arguments
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            self.process = process
            guard waiting else { return }
            let end = ContinuousClock.now + .seconds(20)
            while (try? command("PING"))?.isEmpty ?? true {
                guard ContinuousClock.now < end else { throw XCTSkip("redis-server does not start") }
                usleep(10_000)
            }
            guard let prepare else { return }
            try prepare(self)
            try command("CONFIG", "SET", "port", "\(port)")
        }

        /// Ends it by a signal.
        func stop(_ signal: Int32 = SIGKILL) {
            guard let process else { return }
            kill(process.processIdentifier, signal)
            process.waitUntilExit()
            self.process = nil
        }

        func pause() { if let process { kill(process.processIdentifier, SIGSTOP) } }
        func goOn() { if let process { kill(process.processIdentifier, SIGCONT) } }

        /// What it answers to a command, the first 64 KiB of the raw protocol.
        @discardableResult
        func command(_ words: String...) throws -> String {
            let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(descriptor) }
            var timeout = timeval(tv_sec: 5, tv_usec: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(socket.utf8) + [0]) }
            let result = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            guard result == 0 else { return "" }
            let text = "*\(words.count)\r\n" + words.map { "$\($0.utf8.count)\r\n\($0)\r\n" }.joined()
            _ = text.withCString { write(descriptor, $0, strlen($0)) }
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            let count = read(descriptor, &buffer, buffer.count)
            return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
        }

        static func freePort() throws -> Int {
            let descriptor = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(descriptor) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    _ = bind(descriptor, $0, length)
                    _ = getsockname(descriptor, $0, &length)
                }
            }
            return Int(UInt16(bigEndian: address.sin_port))
        }
    }
#endif
