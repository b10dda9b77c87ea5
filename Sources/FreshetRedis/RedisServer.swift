#if Redis
    /// Where a Redis server listens, and as whom to speak to it. No description of it shows the password.
    public struct RedisServer: Sendable, Hashable {
        /// Where it listens.
        public enum Endpoint: Sendable, Hashable {
            /// A TCP port of a host that is named or numbered.
            case host(String, port: Int)
            /// A Unix socket.
            case socket(path: String)
        }

        /// Where it listens.
        public var endpoint: Endpoint
        /// The number of the database, 0 if nobody says otherwise.
        public var database: Int
        /// As whom to speak to it (Redis 6 or later); `nil` is its default user.
        public var user: String?
        /// What it wants to hear first, if anything.
        public var password: String?

        /// A server without a URL; see `RedisStore` for those that have one.
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
