#if Redis
    /// Where a Redis server listens, and as whom to speak to it. No description of it shows the password.
    public struct RedisServer: Sendable, Hashable {
        public enum Endpoint: Sendable, Hashable {
            case host(String, port: Int)
            /// A Unix socket.
            case socket(path: String)
        }

        public var endpoint: Endpoint
        public var database: Int
        public var user: String?
        public var password: String?

        public init(_ endpoint: Endpoint, database: Int = 0, user: String? = nil, password: String? = nil) {
            self.endpoint = endpoint
            self.database = database
            self.user = user
            self.password = password
        }
    }

    extension RedisServer: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
        public var description: String {
            switch endpoint {
            case .host(let host, let port): "redis://\(host.contains(":") ? "[\(host)]" : host):\(port)/\(database)"
            case .socket(let path): "redis+unix://\(path)?db=\(database)"
            }
        }

        public var debugDescription: String { description }
        public var customMirror: Mirror { Mirror(self, children: ["server": description]) }
    }
#endif
