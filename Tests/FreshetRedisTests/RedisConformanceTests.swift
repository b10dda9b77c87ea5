#if Redis
    import FreshetStoreTesting
    import FreshetAuth
    import FreshetCore
    import FreshetLoop
    import FreshetRedis
    import RedisServers
    import XCTest

    /// Tests on a real server what every kind of store promises.
    final class RedisConformanceTests: RedisTestCase {
        func testARedisStoreMeetsTheRequirementsOfAStore() throws {
            let redis: RedisProcess = redis
            XCTAssertEqual(conformanceFailures { try RedisFixture(redis) }, [])
        }
    }

    /// A key of a server. Each store has a loop of its own, as in another process.
    private final class RedisFixture: StoreFixture {
        private let redis: RedisProcess
        private let loops: [Loop]
        private var made = 0

        init(_ redis: RedisProcess) throws {
            self.redis = redis
            try redis.command("FLUSHALL")
            loops = try (0..<2).map { _ in try Loop() }
        }

        var scheduler: any SchedulerType { LoopScheduler(loops[0]) }

        func makeStore() throws -> any CredentialStore {
            made += 1
            return try RedisStore(redis.url(), on: loops[made % loops.count])
        }

        func wait(until condition: () -> Bool) -> Bool {
            let end = ContinuousClock.now + .seconds(20)
            while !condition() {
                guard ContinuousClock.now < end else { return false }
                usleep(500)
            }
            return true
        }

        func waitAWhile() { usleep(50_000) }

        func spoil() throws -> Bool {
            try redis.command("SET", "k", "{\"access_tok")
            return true
        }

        func loseLock() throws -> Bool {
            try redis.command("DEL", "k:lock")
            return true
        }

        func close() {
            for loop in loops { loop.shutdown() }
        }
    }
#endif
