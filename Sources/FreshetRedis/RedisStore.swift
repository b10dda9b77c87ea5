#if Redis
    public import FreshetAuth
    public import FreshetCore
    public import FreshetHTTP
    public import FreshetLoop

    /// Keeps a credential in Redis, for the programs of many machines that share it: at a key of its own a JSON object with
    /// `access_token`, `refresh_token`, `expires_at`, `version`, and `login_required` after a refused refresh.
    ///
    /// Writers hold a lease, the key `KEY:lock`: it names its owner, ends by itself if that one dies, and is renewed while it
    /// is held. A write also needs the record to be the one that was read under the lease, so a holder that was stopped for
    /// longer than the lease overwrites nothing: its write fails. Who waits for the lease is woken by publish and subscribe.
    /// `expires_at` is on the server's clock, so that machines whose clocks differ agree on it.
    ///
    /// ```swift
    /// let store = try RedisStore("redis://localhost:6379/0?key=api", on: runtime.loop)
    /// let gate = runtime.gate(store: store, authenticator: authenticator)
    /// ```
    public final class RedisStore: CredentialStore {
        /// What becomes of a store whose server is away.
        public enum WhenAway: Sendable, Hashable {
            /// Whoever needs the store fails with `StoreError`. A credential that a gate holds already and that still works
            /// needs none.
            case refuse
            /// The last record that was read or written is used, refreshed if need be under no lease but this store's own, and
            /// put into the server when it is back, unless somebody else has written there; also if the server has come back
            /// empty. While it is away other machines may refresh with the same refresh token, which servers that rotate
            /// tokens take for a theft: this is for a program that has its key alone.
            case goOn
        }

        /// How long a lease lasts, and what happens without the server.
        public struct Settings: Sendable {
            /// How long the lease lasts if its holder dies; it is renewed at every third of it. A third of a gate's deadline, so
            /// that those who waited for a dead holder still have time for their own refresh.
            public var lease: Duration = .seconds(10)
            /// What becomes of the store while its server is away.
            public var whenAway = WhenAway.refuse

            public init() {}
        }

        private let leaseQueue: LoopBound<RedisLeaseQueue>
        /// What becomes of what is asked for after the loop's end.
        private let ended: StoreError

        /// A store on a connection that others may use too.
        ///
        /// - Parameters:
        ///   - key: where the record is; the lease is at `KEY:lock`.
        ///   - connection: to the server that has it; its loop runs everything.
        ///   - settings: how long a lease lasts, and what happens without the server.
        ///   - secondsSince1970: this machine's wall clock.
        @preconcurrency
        public init(
            key: String, on connection: RedisConnection, settings: Settings = Settings(),
            secondsSince1970: @escaping @Sendable () -> Double = WallClock.secondsSince1970
        ) {
            let leaseQueue = RedisLeaseQueue(key, on: connection, settings, secondsSince1970)
            ended = leaseQueue.error(.ended)
            self.leaseQueue = LoopBound(leaseQueue, to: connection.loop)
        }

        /// A store with a connection of its own.
        ///
        /// - Parameters:
        ///   - url: `redis://[[USER]:PASSWORD@]HOST[:PORT][/DB]?key=NAME`, or
        ///     `redis+unix://[[USER]:PASSWORD@]/PATH?key=NAME[&db=DB]`, with `%XX` for what would be taken for something
        ///     else.
        ///   - loop: runs everything; nothing blocks it.
        ///   - settings: how long a lease lasts, and what happens without the server.
        ///   - connection: how long to wait for the server.
        /// - Throws: `StoreError`, which does not repeat the URL.
        public convenience init(
            _ url: String, on loop: Loop, settings: Settings = Settings(),
            connection: RedisConnection.Settings = RedisConnection.Settings()
        ) throws {
            let url = try RedisURL(url)
            self.init(key: url.key, on: RedisConnection(url.server, on: loop, settings: connection), settings: settings)
        }

        /// Looks whether a URL is one of a store, without connecting.
        ///
        /// - Throws: `StoreError`, which does not repeat the URL.
        public static func check(_ url: String) throws {
            _ = try RedisURL(url)
        }

        deinit {
            leaseQueue.loop.execute { [leaseQueue] in leaseQueue.value.close() }
        }

        public func load() -> Single<StoredCredential> {
            leaseQueue.single(after: ended) { leaseQueue, done in leaseQueue.load(done) }
        }

        public func lock() -> Single<any CredentialLease> {
            .create { [leaseQueue, ended] observer in
                let wish = LoopBound(PendingAttempt(), to: leaseQueue.loop)
                let isAccepted = leaseQueue.loop.execute {
                    wish.value.begin(at: leaseQueue.value) { hold in
                        observer(hold.map { RedisLease(LoopBound($0, to: leaseQueue.loop), after: ended) })
                    }
                }
                if !isAccepted { observer(.failure(ended)) }
                return Disposables.create { leaseQueue.loop.execute { wish.value.abandon(at: leaseQueue.value) } }
            }
        }
    }

    /// The place of an attempt that begins, and may be given up, on the loop.
    private final class PendingAttempt {
        private var attempt: RedisAttempt?

        func begin(
            at leaseQueue: RedisLeaseQueue, _ completion: @escaping (Result<RedisLeaseHandle, any Error>) -> Void
        ) {
            let attempt = RedisAttempt(of: leaseQueue, completion)
            self.attempt = attempt
            leaseQueue.enter(attempt)
        }

        func abandon(at leaseQueue: RedisLeaseQueue) {
            if let attempt { leaseQueue.abandon(attempt) }
            attempt = nil
        }
    }

    /// The lease, given back when the last reference to it goes.
    private final class RedisLease: CredentialLease {
        private let hold: LoopBound<RedisLeaseHandle>
        private let ended: StoreError

        init(_ hold: LoopBound<RedisLeaseHandle>, after ended: StoreError) {
            self.hold = hold
            self.ended = ended
        }

        deinit { unlock() }

        func load() -> Single<StoredCredential> {
            hold.single(after: ended) { hold, done in hold.load(done) }
        }

        func save(_ record: StoredCredential) -> Single<Void> {
            hold.single(after: ended) { hold, done in hold.save(record, done) }
        }

        func unlock() {
            hold.loop.execute { [hold] in hold.value.release() }
        }
    }
#endif
