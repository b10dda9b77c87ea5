#if Redis
    import FreshetAuth
    import FreshetCore
    import FreshetHTTP
    import FreshetLoop
    import FreshetRedis
    import RedisServers
    import XCTest

    /// Tests a gate whose server goes away and returns.
    final class RedisGateTests: RedisTestCase {
        private let refreshes = Locked<[String?]>([])

        private func gate(over store: RedisStore, whileAsking: @escaping @Sendable () -> Void = {}) -> RefreshGate {
            RefreshGate(store: store, scheduler: LoopScheduler(loop)) { [refreshes] credential in
                let count = refreshes.withLock { tokens in
                    tokens.append(credential?.refreshToken)
                    return tokens.count
                }
                whileAsking()
                return .just(Credential(accessToken: "new\(count)", refreshToken: "next\(count)"))
            }
        }

        private func code<Value: Sendable>(of single: Single<Value>) -> HTTPClientError.Code? {
            do {
                _ = try single.result(self)
                return nil
            } catch {
                return (error as? HTTPClientError)?.code
            }
        }

        func testAValidTokenIsUsedWithoutTheServerInEveryMode() throws {
            try save(Self.record(1), in: store())
            let gates = [gate(over: try shortTimeoutStore()), gate(over: try shortTimeoutStore(.useLastRecord))]
            for gate in gates { _ = try gate.credential().result(self) }
            redis.stop()
            for gate in gates { XCTAssertEqual(try gate.credential().result(self).accessToken, "a1") }
            XCTAssertEqual(refreshes.withLock { $0 }, [])
        }

        func testARefusingStoreUsesNoRefreshTokenDuringAnOutage() throws {
            try save(Self.record(1), in: store())
            let gate = gate(over: try shortTimeoutStore())
            _ = try gate.credential().result(self)
            redis.pause()
            XCTAssertEqual(code(of: gate.credential(replacing: 1)), .store)
            XCTAssertEqual(code(of: gate.credential()), .store)
            XCTAssertEqual(refreshes.withLock { $0 }, [])
            redis.resume()
            waitUntil("it is back") { (try? gate.credential().result(self))?.accessToken == "new1" }
            XCTAssertEqual(refreshes.withLock { $0 }, ["r1"])
        }

        func testAGateRefreshesInMemoryDuringAnOutageAndTheServerReceivesTheLastPair() throws {
            try save(Self.record(1), in: store())
            let gate = gate(over: try shortTimeoutStore(.useLastRecord))
            _ = try gate.credential().result(self)
            redis.stop()
            XCTAssertEqual(try gate.credential(replacing: 1).result(self).accessToken, "new1")
            XCTAssertEqual(try gate.credential(replacing: 2).result(self).accessToken, "new2")
            try redis.start()
            waitUntil("it is written") { try! redis.command("GET", "k").contains(#""refresh_token":"next2""#) }
            XCTAssertEqual(refreshes.withLock { $0 }, ["r1", "next1"])
        }

        // The gate reads the store before it takes the lease, and finds nothing.
        func testAServerThatReturnsEmptyEndsNoSessionOfAGate() throws {
            try save(Self.record(1), in: store())
            let store = try shortTimeoutStore(.useLastRecord)
            let gate = gate(over: store)
            _ = try gate.credential().result(self)
            redis.stop()
            try redis.start()
            XCTAssertEqual(try store.load().result(self), Self.record(1))
            XCTAssertEqual(try gate.credential(replacing: 1).result(self).accessToken, "new1")
            XCTAssertEqual(refreshes.withLock { $0 }, ["r1"])
            XCTAssertTrue(try redis.command("GET", "k").contains("next1"))
        }

        // A sibling can't store the next pair while the server is away, so that a refusal does not count for all programs.
        func testARefusalDuringAnOutageIsNotMarkedInTheServer() throws {
            let store = try shortTimeoutStore(.useLastRecord)
            try save(Self.record(1), in: store)
            let gate = RefreshGate(store: store, scheduler: LoopScheduler(loop)) { _ in .error(RefreshRefusal("spent"))
            }
            _ = try gate.credential().result(self)
            redis.pause()
            XCTAssertEqual(code(of: gate.credential(replacing: 1)), .loginRequired)
            redis.resume()
            waitUntil("it is back") { (try? store.load().result(self)) == Self.record(1) }
            XCTAssertFalse(try redis.command("GET", "k").contains("login_required"))
        }

        // The record that the server holds is the refused one, and not that of another program.
        func testALoginAfterARefusalDuringAnOutageIsWrittenWhenTheServerIsBack() throws {
            let store = try shortTimeoutStore(.useLastRecord)
            try save(Self.record(1), in: store)
            let gate = RefreshGate(store: store, scheduler: LoopScheduler(loop)) { _ in .error(RefreshRefusal("spent"))
            }
            _ = try gate.credential().result(self)
            redis.pause()
            XCTAssertEqual(code(of: gate.credential(replacing: 1)), .loginRequired)
            _ = try gate.login(Credential(accessToken: "b1", refreshToken: "s1")).result(self)
            redis.resume()
            waitUntil("it is written") { try! redis.command("GET", "k").contains(#""refresh_token":"s1""#) }
        }

        // Each read measures the difference of the clocks again.
        func testARefusalCountsIfTheClocksDiffer() throws {
            let clock: @Sendable () -> Double = { WallClock.secondsSince1970() - 100 }
            let connection = RedisConnection(RedisServer(.host("127.0.0.1", port: redis.port)), on: loop)
            let store = RedisStore(key: "k", on: connection, secondsSince1970: clock)
            try save(Self.record(1, expiresAt: clock() + 1000), in: store)
            let gate = RefreshGate(store: store, scheduler: LoopScheduler(loop), secondsSince1970: clock) {
                [refreshes] credential in
                refreshes.withLock { $0.append(credential?.refreshToken) }
                return .error(RefreshRefusal("spent"))
            }
            _ = try gate.credential().result(self)
            XCTAssertEqual(code(of: gate.credential(replacing: 1)), .loginRequired)
            XCTAssertEqual(refreshes.withLock { $0 }, ["r1"])
        }

        // Otherwise each request would send the refused refresh token again.
        func testARefusalOfAnUnwrittenPairEndsTheSession() throws {
            nonisolated(unsafe) let redis: RedisProcess = redis
            let store = try shortTimeoutStore(.useLastRecord)
            try save(Self.record(1), in: store)
            let gate = RefreshGate(store: store, scheduler: LoopScheduler(loop)) { [refreshes] credential in
                let isFirst = refreshes.withLock { tokens in
                    tokens.append(credential?.refreshToken)
                    return tokens.count == 1
                }
                return isFirst
                    ? .just(Credential(accessToken: "new1", refreshToken: "next1")) : .error(RefreshRefusal("spent"))
            }
            _ = try gate.credential().result(self)
            redis.pause()
            XCTAssertEqual(try gate.credential(replacing: 1).result(self).accessToken, "new1")
            for _ in 0..<3 { XCTAssertEqual(code(of: gate.credential(replacing: 2)), .loginRequired) }
            XCTAssertTrue(try store.load().result(self).isRefused)
            XCTAssertEqual(refreshes.withLock { $0 }, ["r1", "next1"])
            redis.resume()
            waitUntil("it is written") { try! redis.command("GET", "k").contains("login_required") }
        }

        // The authorization server has rotated the tokens, so that the pair must not be lost with the failed write.
        func testAnUnwrittenPairIsWrittenLaterWithoutASecondRefresh() throws {
            nonisolated(unsafe) let redis: RedisProcess = redis
            let store = try shortTimeoutStore()
            try save(Self.record(1), in: store)
            let gate = gate(over: store) { redis.pause() }
            XCTAssertEqual(code(of: gate.credential(replacing: 1)), .store)
            redis.resume()
            waitUntil("it is written") { (try? gate.credential().result(self))?.accessToken == "new1" }
            XCTAssertTrue(try redis.command("GET", "k").contains("next1"))
            XCTAssertEqual(refreshes.withLock { $0 }, ["r1"])
        }

        // One response of the server is lost, or arrives after the connection has been made again.
        func testBrokenConnectionsDuringManyRefreshesCauseNoSecondRefresh() throws {
            try save(Self.record(1), in: store())
            waitUntil("the lease is given back") { try! redis.command("EXISTS", "k:lock") == ":0\r\n" }
            let gates = try (0..<8).map { _ in gate(over: try store()) }
            let recorders = gates.map { gate in
                let recorder = ResultRecorder<Credential>()
                return (recorder, gate.credential(replacing: 1).subscribe { recorder.receive($0) })
            }
            for _ in 0..<20 {
                try redis.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
                usleep(2_000)
            }
            for (recorder, subscription) in recorders {
                XCTAssertTrue(recorder.wait(20))
                XCTAssertEqual(try recorder.result?.get().accessToken, "new1")
                subscription.dispose()
            }
            XCTAssertEqual(refreshes.withLock { $0 }, ["r1"])
        }
    }
#endif
