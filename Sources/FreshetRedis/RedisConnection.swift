#if Redis
    import FreshetAuth
    import FreshetCore
    public import FreshetLoop

    /// A Redis server, as all stores of a loop use it together: one connection for commands, made at the first one and again
    /// whenever it is lost, and another while somebody waits for a lease.
    ///
    /// It ends with the last reference to it and its stores, or with the loop.
    public final class RedisConnection: Sendable {
        /// What bounds the waiting for a server.
        public struct Settings: Sendable {
            /// How long connecting may take, with the server's first answer.
            public var connectTimeout: Duration = .seconds(2)
            /// How long a command may take, with the time until there is a connection. Where one took longer, the server counts
            /// as away, and until it is back commands fail at once.
            public var commandTimeout: Duration = .seconds(5)

            public init() {}
        }

        /// Whom it talks to.
        public let server: RedisServer
        let loop: Loop
        let links: LoopBound<(commands: RedisCommandChannel, subscriptions: RedisSubscriptions)>

        /// A connection that is made when a store first needs it. Everything runs on `loop`, and nothing blocks it.
        public init(_ server: RedisServer, on loop: Loop, settings: Settings = Settings()) {
            self.server = server
            self.loop = loop
            let commands = RedisCommandChannel(
                RedisSession(server, on: loop, patience: settings.connectTimeout), timeout: settings.commandTimeout)
            let subscriptions = RedisSubscriptions(RedisSession(server, on: loop, patience: settings.connectTimeout))
            let links = LoopBound((commands: commands, subscriptions: subscriptions), to: loop)
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
            // After the loop has ended there is nothing left to close.
            loop.execute { [loop, links] in
                if let ending = links.value.commands.ending { loop.removeEnd(ending) }
                Self.close(links)
            }
        }
    }
#endif
