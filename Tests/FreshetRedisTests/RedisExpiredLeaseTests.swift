#if Redis
    import FreshetAuth
    import FreshetCore
    import FreshetLoop
    import FreshetRedis
    import RedisServers
    import XCTest

    /// Tests a holder of the lease that is stopped, as by SIGSTOP: its loop does nothing for longer than the lease lasts.
    final class RedisExpiredLeaseTests: RedisTestCase {
        private var stopped: Loop!

        override func setUpWithError() throws {
            try super.setUpWithError()
            stopped = try Loop(name: "stopped")
        }

        override func tearDown() {
            stopped?.shutdown()
            stopped = nil
            super.tearDown()
        }

        private func shortLease(on loop: Loop) throws -> RedisStore {
            var settings = RedisStore.Settings()
            settings.lease = .milliseconds(600)
            return try RedisStore(redis.url(), on: loop, settings: settings)
        }

        func testALateWriteIsRefusedAndTheNewerPairIsKept() throws {
            let (slow, other) = (try shortLease(on: stopped), try store())
            try save(Self.record(1), in: slow)
            let lease = try get(slow.lock())
            let awake = DispatchSemaphore(value: 0)
            defer { awake.signal() }
            stopped.execute { awake.wait() }
            let saving = ResultRecorder<Void>()
            // The save waits until the loop wakes, as a response in the socket of a stopped process does.
            let subscription = lease.save(Self.record(9)).subscribe { saving.receive($0) }
            let next = try get(other.lock())
            try get(next.save(Self.record(2)))
            next.unlock()
            XCTAssertNil(saving.result, "it is still stopped")
            awake.signal()
            XCTAssertTrue(saving.wait(20))
            XCTAssertThrowsError(try saving.result?.get()) { XCTAssertTrue($0 is StoreError) }
            XCTAssertEqual(try get(other.load()), Self.record(2))
            lease.unlock()
            subscription.dispose()
        }

        func testAGateReportsTheRefusedWriteAndThenUsesTheNewerPair() throws {
            let (slow, other) = (try shortLease(on: stopped), try store())
            try save(Self.record(1), in: slow)
            let refreshes = Locked(0)
            let stopped = stopped!
            let awake = DispatchSemaphore(value: 0)
            defer { awake.signal() }
            let gate = RefreshGate(store: slow, scheduler: LoopScheduler(stopped)) { _ in
                refreshes.withLock { $0 += 1 }
                // The machine is suspended here, with the response of the refresh on its way.
                stopped.execute { awake.wait() }
                return .just(Credential(accessToken: "late", refreshToken: "late"))
            }
            let recorder = ResultRecorder<Credential>()
            let subscription = gate.credential(replacing: 1).subscribe { recorder.receive($0) }
            waitUntil("it asks") { refreshes.withLock { $0 } == 1 }
            let next = try get(other.lock())
            try get(next.save(Self.record(2)))
            next.unlock()
            awake.signal()
            XCTAssertTrue(recorder.wait(20))
            XCTAssertThrowsError(try recorder.result?.get())
            XCTAssertEqual(try get(gate.credential()).accessToken, "a2")
            XCTAssertEqual(refreshes.withLock { $0 }, 1)
            subscription.dispose()
        }
    }
#endif
