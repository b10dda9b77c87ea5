#if Redis
    /// The address of a Redis server, and the credentials for it. Its descriptions never show the password.
    public struct RedisServer: Sendable, Hashable {
        /// The address that the server listens on.
        public enum Endpoint: Sendable, Hashable {
            /// A TCP port of a host, which is given by its name or its IP address.
            case host(String, port: Int)
            /// A Unix socket.
            case socket(path: String)
        }

        /// The address that the server listens on.
        public var endpoint: Endpoint
        /// The number of the database; 0 by default.
        public var database: Int
        /// The user (Redis 6 or later); `nil` is the server's default user.
        public var user: String?
        /// The password; `nil` if the server needs none.
        public var password: String?

        /// Creates a server without a URL. `RedisStore` has an initializer that takes a URL.
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
