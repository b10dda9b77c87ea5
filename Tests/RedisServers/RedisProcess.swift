#if Redis
    public import Foundation

    /// A `redis-server` on a free port, and on a socket in a directory that is removed with it.
    public final class RedisProcess {
        private static let executable = [
            "/usr/bin/redis-server", "/usr/local/bin/redis-server", "/opt/homebrew/bin/redis-server",
        ]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

        public let port: Int
        public let directory: URL
        private let options: [String]
        private var process: Process?

        /// - Parameter options: options of its configuration, such as `["requirepass", "secret"]`.
        public init(_ options: [String] = []) throws {
            directory = FileManager.default.temporaryDirectory.appendingPathComponent("freshet-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            self.options = options
            port = Self.freePort()
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

        public var socket: String { directory.appendingPathComponent("s").path }

        public func url(key: String = "k") -> String { "redis://127.0.0.1:\(port)/0?key=\(key)" }

        /// Starts the server, also after ``stop(_:)``, and waits until it responds.
        ///
        /// - Parameter prepare: called before any other client can reach the server.
        public func start(waiting: Bool = true, before prepare: ((RedisProcess) throws -> Void)? = nil) throws {
            guard let executable = Self.executable else { throw NoRedis() }
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
                guard ContinuousClock.now < end else { throw NoRedis() }
                usleep(10_000)
            }
            guard let prepare else { return }
            try prepare(self)
            try command("CONFIG", "SET", "port", "\(port)")
        }

        /// Ends the server by a signal.
        public func stop(_ signal: Int32 = SIGKILL) {
            guard let process else { return }
            kill(process.processIdentifier, signal)
            process.waitUntilExit()
            self.process = nil
        }

        public func pause() { if let process { kill(process.processIdentifier, SIGSTOP) } }
        public func resume() { if let process { kill(process.processIdentifier, SIGCONT) } }

        /// The response to a command: the first 64 KiB of the raw protocol.
        @discardableResult
        public func command(_ words: String...) throws -> String {
            try commands(words)
        }

        /// The responses to several commands, one after the other on one connection.
        public func commands(_ commands: [String]...) throws -> String {
            guard let descriptor = try? hold() else { return "" }
            defer { close(descriptor) }
            var responses = ""
            for words in commands {
                send(words, to: descriptor)
                var buffer = [UInt8](repeating: 0, count: 64 << 10)
                let count = read(descriptor, &buffer, buffer.count)
                responses += String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
            }
            return responses
        }

        /// A connection, which the caller closes.
        public func hold() throws -> Int32 {
            let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
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
            if result == 0 { return descriptor }
            close(descriptor)
            throw NoRedis()
        }

        /// Sends a command on a connection of ``hold()``.
        public func send(_ words: [String], to descriptor: Int32) {
            let text = "*\(words.count)\r\n" + words.map { "$\($0.utf8.count)\r\n\($0)\r\n" }.joined()
            _ = text.withCString { write(descriptor, $0, strlen($0)) }
        }

        // The port is outside the range from which the system takes ports for connections, which could take it before the
        // server does.
        private static func freePort() -> Int {
            while true {
                let descriptor = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
                defer { close(descriptor) }
                let port = Int.random(in: 10_000..<32_000)
                if Self.bind(descriptor, to: port) == port { return port }
            }
        }

        /// - Returns: the port to which the socket is bound, 0 if there is none.
        static func bind(_ descriptor: Int32, to port: Int = 0) -> Int {
            var address = sockaddr_in()
            address.sin_port = UInt16(port).bigEndian
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    _ = Glibc.bind(descriptor, $0, length)
                    _ = getsockname(descriptor, $0, &length)
                }
            }
            return Int(UInt16(bigEndian: address.sin_port))
        }
    }

    /// There is no `redis-server` on this machine, or it does not start.
    public struct NoRedis: Error {}
#endif
