#if Redis
    import FreshetAuth
    import FreshetCore
    import FreshetLoop
    import FreshetRedis
    import RedisServers
    import XCTest

    /// A test with a Redis server and a loop. It fails if resources are left at its end.
    class RedisTestCase: XCTestCase {
        private(set) var loop: Loop!
        private(set) var redis: RedisProcess!
        private var resourcesBefore = 0

        /// The options with which the server is started.
        var options: [String] { [] }

        override func setUpWithError() throws {
            resourcesBefore = Resources.total
            do {
                redis = try RedisProcess(options)
            } catch is NoRedis {
                throw XCTSkip("there is no redis-server that starts; install it")
            }
            loop = try Loop(name: "test")
        }

        override func tearDown() {
            loop?.shutdown()
            loop = nil
            redis = nil
            let end = ContinuousClock.now.advanced(by: .seconds(20))
            while Resources.total != resourcesBefore, ContinuousClock.now < end { sched_yield() }
            XCTAssertEqual(Resources.total, resourcesBefore)
        }

        func store(
            key: String = "k",
            _ change: (inout RedisStore.Settings, inout RedisConnection.Settings) -> Void = { _, _ in }
        ) throws -> RedisStore {
            var settings = RedisStore.Settings()
            var connection = RedisConnection.Settings()
            change(&settings, &connection)
            return try RedisStore(redis.url(key: key), on: loop, settings: settings, connection: connection)
        }

        /// Longer than a server on a busy machine takes to respond.
        static let shortTimeout = Duration.seconds(1)

        /// A store that soon notices that its server is away.
        func shortTimeoutStore(
            _ outagePolicy: RedisStore.OutagePolicy = .fail, key: String = "k", lease: Duration = .seconds(10)
        ) throws -> RedisStore {
            try store(key: key) { settings, connection in
                settings.outagePolicy = outagePolicy
                settings.lease = lease
                connection.connectTimeout = Self.shortTimeout
                connection.commandTimeout = Self.shortTimeout
            }
        }

        func get<Value: Sendable>(_ single: Single<Value>, within seconds: Double = 20) throws -> Value {
            try wait(for: single, seconds).get()
        }

        func error<Value: Sendable>(
            of single: Single<Value>, within seconds: Double = 20, file: StaticString = #filePath, line: UInt = #line
        ) throws -> StoreError {
            guard case .failure(let error) = try wait(for: single, seconds) else {
                XCTFail("it succeeded", file: file, line: line)
                throw Nothing()
            }
            return try XCTUnwrap(error as? StoreError, "\(error)", file: file, line: line)
        }

        private func wait<Value: Sendable>(for single: Single<Value>, _ seconds: Double) throws -> Result<
            Value, any Error
        > {
            let recorder = ResultRecorder<Value>()
            let subscription = single.subscribe { recorder.receive($0) }
            guard recorder.wait(seconds) else {
                subscription.dispose()
                XCTFail("nothing came in \(seconds) s")
                throw Nothing()
            }
            return recorder.result!
        }

        func save(_ record: StoredCredential, in store: RedisStore) throws {
            let lease = try get(store.lock())
            try get(lease.save(record))
            lease.unlock()
        }

        /// Waits until `isSo` holds, on the real clock. The server makes it hold.
        func waitUntil(_ what: String, within seconds: Double = 20, _ isSo: () throws -> Bool) rethrows {
            let end = ContinuousClock.now + .seconds(seconds)
            while try !isSo() {
                guard ContinuousClock.now < end else { return XCTFail("not within \(seconds) s: \(what)") }
                usleep(2_000)
            }
        }

        /// Waits until a store that wants the lease has subscribed to the lease's channel.
        func waitUntilAClientSubscribes() {
            waitUntil("somebody listens") { try! redis.command("PUBSUB", "NUMSUB", "k:lock@0").contains(":1\r") }
        }

        static func record(_ number: Int, expiresAt: Double? = nil) -> StoredCredential {
            StoredCredential(
                credential: Credential(accessToken: "a\(number)", refreshToken: "r\(number)", expiresAt: expiresAt),
                version: number)
        }
    }

    struct Nothing: Error {}

    /// The first result of a single.
    final class ResultRecorder<Value: Sendable>: @unchecked Sendable {
        private let lock = NSLock()
        private let semaphore = DispatchSemaphore(value: 0)
        private var stored: Result<Value, any Error>?

        func receive(_ result: Result<Value, any Error>) {
            lock.withLock { stored = stored ?? result }
            semaphore.signal()
        }

        var result: Result<Value, any Error>? { lock.withLock { stored } }

        func wait(_ seconds: Double) -> Bool {
            semaphore.wait(timeout: .now() + seconds) == .success
        }
    }
#endif
