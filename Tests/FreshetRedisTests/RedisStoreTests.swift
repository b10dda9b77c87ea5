#if Redis
    import FreshetAuth
    import FreshetCore
    import FreshetLoop
    import FreshetRedis
    import RedisServers
    import XCTest

    final class RedisStoreTests: RedisTestCase {
        func testTheRecordHasTheDocumentedJSONAndTheLeaseExpires() throws {
            let store = try store(key: "the key")
            let lease = try get(store.lock())
            try get(lease.save(Self.record(3, expiresAt: 4e9)))
            XCTAssertTrue(
                try redis.command("GET", "the key")
                    .contains(#"{"access_token":"a3","expires_at":4000000000,"refresh_token":"r3","version":3}"#))
            let remaining = try redis.command("PTTL", "the key:lock").filter(\.isNumber)
            XCTAssertLessThanOrEqual(try XCTUnwrap(Int(remaining)), 10_000)
            lease.unlock()
            waitUntilUnlocked("the key")
        }

        func testKeysOnOneConnectionAreSeparate() throws {
            let connection = RedisConnection(RedisServer(.host("127.0.0.1", port: redis.port)), on: loop)
            let stores = (0..<20).map { RedisStore(key: "k\($0)", on: connection) }
            let leases = try stores.map { try get($0.lock()) }
            for (number, lease) in leases.enumerated() { try get(lease.save(Self.record(number + 1))) }
            for lease in leases { lease.unlock() }
            for (number, store) in stores.enumerated() {
                XCTAssertEqual(try get(store.load()), Self.record(number + 1))
            }
            let clients = try redis.command("CLIENT", "LIST", "TYPE", "normal")
            XCTAssertEqual(clients.components(separatedBy: " addr=127.0.0.1:").count - 1, 1, clients)
        }

        func testAnotherDatabaseIsAnotherStore() throws {
            let third = try RedisStore("redis://127.0.0.1:\(redis.port)/3?key=k", on: loop)
            try save(Self.record(1), in: third)
            XCTAssertEqual(try get(store().load()), .empty)
            XCTAssertEqual(try get(third.load()), Self.record(1))
        }

        func testAUnixSocketAndAHostNameWork() throws {
            let path = redis.socket.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed)!
            try save(Self.record(1), in: try RedisStore("redis+unix://\(path)?key=k", on: loop))
            let named = try RedisStore("redis://localhost:\(redis.port)?key=k", on: loop)
            XCTAssertEqual(try get(named.load()), Self.record(1))
        }

        // Otherwise files wait for name servers, and the end of the loop too.
        func testANameIsNotLookedUpAmongTheBlockingWorkOfTheLoop() throws {
            let pool = NSLock()
            pool.lock()
            defer { pool.unlock() }
            // The pool has never more threads.
            for _ in 0..<1024 {
                _ = BlockingScheduler(on: loop).schedule(()) {
                    pool.withLock { Disposables.create() }
                }
            }
            XCTAssertEqual(try get(RedisStore("redis://localhost:\(redis.port)?key=k", on: loop).load()), .empty)
        }

        func testAWaitForTheLockIsNotifiedInsteadOfPolling() throws {
            let (first, second) = (try store(), try store())
            var times: [Double] = []
            for _ in 0..<10 {
                let held = try get(first.lock())
                let recorder = ResultRecorder<any CredentialLease>()
                let waiting = second.lock().subscribe { recorder.receive($0) }
                waitUntilAClientSubscribes()
                usleep(30_000)
                let start = ContinuousClock.now
                held.unlock()
                XCTAssertTrue(recorder.wait(20))
                times.append((ContinuousClock.now - start) / .seconds(1))
                try recorder.result?.get().unlock()
                waiting.dispose()
            }
            // The machine may be busy, so that the test ignores the slowest measurements.
            XCTAssertLessThan(times.sorted()[7], 0.5, "a look comes after 0.75 s at the earliest")
        }

        func testALeaseIsRenewedWhileItIsHeld() throws {
            let (first, second) = (try store { settings, _ in settings.lease = .seconds(1) }, try store())
            let lease = try get(first.lock())
            let recorder = ResultRecorder<any CredentialLease>()
            let waiting = second.lock().subscribe { recorder.receive($0) }
            XCTAssertFalse(recorder.wait(1.5), "it was given to a second")
            try get(lease.save(Self.record(1)))
            lease.unlock()
            XCTAssertTrue(recorder.wait(20))
            try recorder.result?.get().unlock()
            waiting.dispose()
        }

        func testTheLeaseOfADeadHolderIsFreeAfterItExpires() throws {
            var times: [Duration] = []
            // The test repeats the measurement, because the machine may be busy.
            repeat {
                let start = ContinuousClock.now
                try redis.command("SET", "k:lock", "the dead", "PX", "300")
                let lease = try get(store().lock())
                times.append(ContinuousClock.now - start)
                lease.unlock()
                waitUntilUnlocked()
            } while times.min()! > .milliseconds(700) && times.count < 10
            XCTAssertGreaterThan(times.min()!, .milliseconds(290))
            XCTAssertLessThan(times.min()!, .milliseconds(700), "as soon as it ended: a look comes after 0.75 s")
        }

        func testAHolderWhoseLeaseHasExpiredOverwritesNothing() throws {
            let (stopped, other) = (try store(), try store())
            try save(Self.record(1), in: stopped)
            let lease = try get(stopped.lock())
            _ = try get(lease.load())
            // As for a process that was stopped, the lease ends here, and a sibling refreshes.
            try redis.command("PEXPIRE", "k:lock", "1")
            let next = try get(other.lock())
            try get(next.save(Self.record(2)))
            XCTAssertTrue(try error(of: lease.save(Self.record(9))).message.contains("lease"))
            next.unlock()
            waitUntilUnlocked()
            XCTAssertThrowsError(try get(lease.save(Self.record(9))), "the lease is free, but not its")
            lease.unlock()
            XCTAssertEqual(try get(stopped.load()), Self.record(2))
        }

        func testARecordThatWasChangedUnderTheLeaseIsNotOverwritten() throws {
            let store = try store()
            try save(Self.record(1), in: store)
            let lease = try get(store.lock())
            try redis.command("SET", "k", #"{"access_token":"by hand","version":1}"#)
            XCTAssertTrue(try error(of: lease.save(Self.record(2))).message.contains("somebody else"))
            _ = try get(lease.load())
            try get(lease.save(Self.record(2)))
            lease.unlock()
            XCTAssertEqual(try get(store.load()), Self.record(2))
        }

        func testACancelledLockRequestLeavesNoLease() throws {
            let store = try store()
            for delay in 0..<40 {
                let waiting = store.lock().subscribe { _ in }
                if delay % 2 == 1 { usleep(UInt32(delay) * 20) }
                waiting.dispose()
            }
            try get(store.lock(), within: 8).unlock()
            waitUntilUnlocked()
        }

        func testTheEndOfTheLoopFailsPendingLocks() throws {
            let store = try store()
            let lease = try get(store.lock())
            let recorders = [ResultRecorder<any CredentialLease>(), ResultRecorder<any CredentialLease>()]
            let waiting = [
                store.lock().subscribe { recorders[0].receive($0) },
                try self.store().lock().subscribe { recorders[1].receive($0) },
            ]
            waitUntilAClientSubscribes()
            loop.shutdown()
            for recorder in recorders {
                XCTAssertTrue(recorder.wait(20))
                XCTAssertThrowsError(try recorder.result?.get())
            }
            XCTAssertThrowsError(try get(store.load()))
            XCTAssertThrowsError(try get(lease.save(Self.record(1))))
            XCTAssertThrowsError(try get(store.lock()))
            lease.unlock()
            for waiting in waiting { waiting.dispose() }
        }

        // Machines whose clocks differ agree on the end of a token, because the store keeps it on the server's clock.
        func testAMachineWithAWrongClockReadsTheSameExpiry() throws {
            let right = try store()
            let now: @Sendable () -> Double = { Date().timeIntervalSince1970 }
            let connection = RedisConnection(RedisServer(.host("127.0.0.1", port: redis.port)), on: loop)
            let ahead = RedisStore(key: "k", on: connection, secondsSince1970: { now() + 3600 })
            try save(Self.record(1, expiresAt: now() + 600), in: right)
            let seen = try XCTUnwrap(get(ahead.load()).credential?.expiresAt)
            XCTAssertEqual(seen, now() + 3600 + 600, accuracy: 2)
            try save(Self.record(2, expiresAt: now() + 3600 + 300), in: ahead)
            XCTAssertEqual(try XCTUnwrap(get(right.load()).credential?.expiresAt), now() + 300, accuracy: 2)
        }

        private func waitUntilUnlocked(_ key: String = "k") {
            waitUntil("the lease is given back") { try! redis.command("EXISTS", "\(key):lock") == ":0\r\n" }
        }
    }
#endif
