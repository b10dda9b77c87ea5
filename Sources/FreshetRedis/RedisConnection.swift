#if Redis
    import FreshetAuth
    import FreshetCore
    public import FreshetLoop

    /// The connections to a Redis server that all stores of a loop share. The first command opens one connection for commands,
    /// which is opened again whenever it is lost. Another connection is opened when a store waits for a lease.
    ///
    /// Both connections close when the last reference to this object and its stores goes, or when the loop ends.
    public final class RedisConnection: Sendable {
        /// How long to wait for the server.
        public struct Settings: Sendable {
            /// How long connecting may take, including the server's first reply.
            public var connectTimeout: Duration = .seconds(2)
            /// How long a command may take, including the time until there is a connection. When a command exceeds this time,
            /// the server counts as away, and commands fail at once until it is back.
            public var commandTimeout: Duration = .seconds(5)

            public init() {}
        }

        /// The server that the connections lead to.
        public let server: RedisServer
        let loop: Loop
        let links: LoopBound<(commands: RedisCommandChannel, subscriptions: RedisSubscriptions)>

        /// Creates a connection that opens when a store first needs it. All its work runs on `loop`, and nothing blocks the
        /// loop.
        public init(_ server: RedisServer, on loop: Loop, settings: Settings = Settings()) {
            self.server = server
            self.loop = loop
            let commands = RedisCommandChannel(
                RedisSession(server, on: loop, connectTimeout: settings.connectTimeout),
                timeout: settings.commandTimeout)
            let subscriptions = RedisSubscriptions(
                RedisSession(server, on: loop, connectTimeout: settings.connectTimeout))
            let links = LoopBound.sending((commands: commands, subscriptions: subscriptions), on: loop)
            self.links = links
            loop.execute { links.value.commands.ending = loop.atEnd { Self.close(links) } }
        }

        private static func close(
            _ links: LoopBound<(commands: RedisCommandChannel, subscriptions: RedisSubscriptions)>
        ) {
            links.value.commands.close()
            links.value.subscriptions.close()
        }

        deinit {
            // After the loop has ended, there is nothing left to close.
            loop.execute { [loop, links] in
                if let ending = links.value.commands.ending { loop.removeEnd(ending) }
                Self.close(links)
            }
        }
    }
#endif
