#if Redis
    public import FreshetAuth
    public import FreshetCore
    public import FreshetHTTP
    public import FreshetLoop

    /// Keeps a credential in Redis, for programs on many machines that share it. The record is a JSON object at a key of its
    /// own, with `access_token`, `refresh_token`, `expires_at`, `version`, and `login_required` after a refused refresh.
    ///
    /// A writer holds a lease, the key `KEY:lock`. The lease names its owner, expires by itself if the owner dies, and is
    /// renewed while it is held. A write succeeds only if the key still holds the record that was read under the lease. A
    /// holder that was stopped for longer than the lease therefore overwrites nothing: its write fails. Publish and subscribe
    /// wakes the programs that wait for the lease. `expires_at` is on the server's clock, so that machines whose clocks differ
    /// agree on it.
    ///
    /// ```swift
    /// let store = try RedisStore("redis://localhost:6379/0?key=api", on: runtime.loop)
    /// let gate = runtime.gate(store: store, authenticator: authenticator)
    /// ```
    public final class RedisStore: CredentialStore {
        /// How a store behaves while its server is away.
        public enum OutagePolicy: Sendable, Hashable {
            /// Each access to the store fails with `StoreError`. A gate that holds a valid credential does not access the
            /// store.
            case fail
            /// The store uses the last record that was read or written. A refresh holds no lease at the server; it only
            /// excludes other refreshes of this store. When the server is back, the store writes the new record, unless another
            /// program has written meanwhile. It also writes its record if the server has come back empty.
            ///
            /// While the server is away, other machines may refresh with the same refresh token. Servers that rotate tokens treat
            /// that as theft. This case is for a program that shares its key with no other.
            case useLastRecord
        }

        /// How long a lease lasts, and how the store behaves while its server is away.
        public struct Settings: Sendable {
            /// How long the lease lasts if its holder dies. The holder renews it at every third of this time. The default is a
            /// third of a gate's deadline, so that a program that waited for a dead holder still has time for its own refresh.
            public var lease: Duration = .seconds(10)
            /// How the store behaves while its server is away.
            public var outagePolicy = OutagePolicy.fail

            public init() {}
        }

        /// The key of the lease.
        public let lockName: String?
        private let leaseQueue: LoopBound<RedisLeaseQueue>
        /// The error of each call after the loop has ended.
        private let ended: StoreError

        /// Creates a store on a connection that other stores can share.
        ///
        /// - Parameters:
        ///   - key: the key of the record; the lease is at `KEY:lock`.
        ///   - connection: the connection to the server; its loop runs all work.
        ///   - settings: how long a lease lasts, and how the store behaves while its server is away.
        ///   - secondsSince1970: this machine's wall clock.
        @preconcurrency
        public init(
            key: String, on connection: RedisConnection, settings: Settings = Settings(),
            secondsSince1970: @escaping @Sendable () -> Double = WallClock.secondsSince1970
        ) {
            let leaseQueue = RedisLeaseQueue(key, on: connection, settings, secondsSince1970)
            lockName = leaseQueue.lockKey
            ended = leaseQueue.error(.ended)
            self.leaseQueue = LoopBound.sending(leaseQueue, on: connection.loop)
        }

        /// Creates a store with a connection of its own.
        ///
        /// - Parameters:
        ///   - url: `redis://[[USER]:PASSWORD@]HOST[:PORT][/DB]?key=NAME`, or
        ///     `redis+unix://[[USER]:PASSWORD@]/PATH?key=NAME[&db=DB]`. `%XX` stands for a byte that has another meaning in a
        ///     URL.
        ///   - loop: the loop that runs all work; nothing blocks it.
        ///   - settings: how long a lease lasts, and how the store behaves while its server is away.
        ///   - connection: how long to wait for the server.
        /// - Throws: `StoreError`, whose message does not repeat the URL.
        public convenience init(
            _ url: String, on loop: Loop, settings: Settings = Settings(),
            connection: RedisConnection.Settings = RedisConnection.Settings()
        ) throws {
            let url = try RedisURL(url)
            self.init(key: url.key, on: RedisConnection(url.server, on: loop, settings: connection), settings: settings)
        }

        /// Checks whether a URL is valid for a store, without connecting.
        ///
        /// - Throws: `StoreError`, whose message does not repeat the URL.
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
                let attempt = LoopBound.sending(PendingAttempt(), on: leaseQueue.loop)
                let isAccepted = leaseQueue.loop.execute {
                    attempt.value.begin(at: leaseQueue.value) { hold in
                        observer(hold.map { RedisLease(LoopBound($0, on: leaseQueue.loop), after: ended) })
                    }
                }
                if !isAccepted { observer(.failure(ended)) }
                return Disposables.create { leaseQueue.loop.execute { attempt.value.abandon(at: leaseQueue.value) } }
            }
        }
    }

    /// Keeps the attempt of one `lock()` on the loop, from its beginning until it may be cancelled.
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

    /// A held lease. It is released when the last reference to it goes.
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
