#if Redis
    import FreshetAuth
    import FreshetCore
    import FreshetLoop
    import FreshetRedis
    import RedisServers
    import XCTest

    /// Tests a server that is killed, paused and started again.
    final class RedisOutageTests: RedisTestCase {
        func testAServerThatIsUnreachableFromTheStartIsAnErrorAtOnce() throws {
            redis.stop()
            let store = try store()
            let error = try error(of: store.load())
            XCTAssertTrue(error.message.contains("refused") && error.message.contains("127.0.0.1"), error.message)
            XCTAssertThrowsError(try get(store.lock()))
        }

        // A stack that grew with the waits would overflow.
        func testAnOutageEndsAnyNumberOfWaitsForTheLock() throws {
            let store = try shortTimeoutStore()
            let held = try get(store.lock())
            redis.stop()
            let count = 20_000
            let failures = Locked(0)
            let waits = (0..<count).map { _ in
                store.lock().subscribe { result in if case .failure = result { failures.withLock { $0 += 1 } } }
            }
            held.unlock()
            waitUntil("all have failed") { failures.withLock { $0 } == count }
            for wait in waits { wait.dispose() }
        }

        func testAnUnknownHostNameIsAnError() throws {
            let store = try RedisStore("redis://nobody.invalid:1/0?key=k", on: loop)
            XCTAssertTrue(try error(of: store.load(), within: 30).message.contains("no address for nobody.invalid"))
        }

        func testAServerThatRestartsInTimeCausesNoError() throws {
            let store = try store()
            try save(Self.record(1), in: store)
            redis.stop()
            let recorder = ResultRecorder<StoredCredential>()
            let loading = store.load().subscribe { recorder.receive($0) }
            XCTAssertFalse(recorder.wait(0.3))
            try redis.start()
            XCTAssertTrue(recorder.wait(10))
            XCTAssertEqual(try recorder.result?.get(), .empty, "it keeps nothing on its disk")
            loading.dispose()
        }

        func testAPausedServerCausesOneTimeoutAndImmediateErrorsUntilItIsBack() throws {
            let store = try shortTimeoutStore()
            try save(Self.record(1), in: store)
            redis.pause()
            XCTAssertTrue(try error(of: store.load()).message.contains("no response"))
            let start = ContinuousClock.now
            for _ in 0..<20 { _ = try error(of: store.lock()) }
            XCTAssertLessThan(ContinuousClock.now - start, Self.shortTimeout * 10)
            redis.resume()
            waitUntil("it is back") { (try? store.load().result(self)) == Self.record(1) }
            try save(Self.record(2), in: store)
        }

        func testACommandOnADroppedConnectionIsSentAgain() throws {
            let store = try store()
            for number in 1...30 {
                let lease = try get(store.lock())
                let recorder = ResultRecorder<Void>()
                let saving = lease.save(Self.record(number)).subscribe { recorder.receive($0) }
                try redis.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
                XCTAssertTrue(recorder.wait(10))
                XCTAssertNoThrow(try XCTUnwrap(recorder.result).get())
                lease.unlock()
                saving.dispose()
            }
            XCTAssertEqual(try get(store.load()), Self.record(30))
        }

        func testAWaitForTheLockContinuesThroughARestart() throws {
            let (first, second) = (try store(), try store())
            let held = try get(first.lock())
            let recorder = ResultRecorder<any CredentialLease>()
            let waiting = second.lock().subscribe { recorder.receive($0) }
            waitUntilAClientSubscribes()
            redis.stop()
            try redis.start()
            // The lease is lost with the server. The other store gets it, and the write of the first one fails.
            XCTAssertTrue(recorder.wait(10))
            let next = try XCTUnwrap(recorder.result?.get())
            XCTAssertThrowsError(try get(held.save(Self.record(9))))
            try get(next.save(Self.record(1)))
            next.unlock()
            waiting.dispose()
        }

        func testAnIdleConnectionThatTheServerClosesCausesNoError() throws {
            try redis.command("CONFIG", "SET", "timeout", "1")
            let store = try store()
            try save(Self.record(1), in: store)
            waitUntil("the server ends it") { try! !redis.command("CLIENT", "LIST").contains("addr=127.0.0.1:") }
            XCTAssertEqual(try get(store.load()), Self.record(1))
        }

        // MARK: Going on

        func testByDefaultAnUnavailableServerFailsReadsAndLocks() throws {
            let store = try shortTimeoutStore()
            try save(Self.record(1), in: store)
            redis.stop()
            XCTAssertThrowsError(try get(store.load()))
            XCTAssertThrowsError(try get(store.lock()))
        }

        func testWithoutARecordInMemoryAnUnavailableServerIsAnError() throws {
            redis.stop()
            let store = try shortTimeoutStore(.useLastRecord)
            XCTAssertThrowsError(try get(store.load()))
            XCTAssertThrowsError(try get(store.lock()))
        }

        func testTheLastRecordIsUsedDuringAnOutageAndWrittenAfterwards() throws {
            let store = try shortTimeoutStore(.useLastRecord)
            try save(Self.record(1), in: store)
            redis.pause()
            XCTAssertEqual(try get(store.load()), Self.record(1))
            try save(Self.record(2), in: store)
            XCTAssertEqual(try get(store.load()), Self.record(2))
            try save(Self.record(3), in: store)
            redis.resume()
            waitUntil("it is written") { try! redis.command("GET", "k").contains("a3") }
            XCTAssertEqual(try get(self.store().load()), Self.record(3))
        }

        func testANewerRecordOfAnotherProcessWinsAfterAnOutage() throws {
            let store = try shortTimeoutStore(.useLastRecord)
            try save(Self.record(1), in: store)
            redis.stop()
            try save(Self.record(2), in: store)
            try redis.start(before: { try $0.command("SET", "k", #"{"access_token":"sibling's","version":7}"#) })
            waitUntil("it is taken over") { (try? store.load().result(self))?.version == 7 }
            XCTAssertTrue(try redis.command("GET", "k").contains("sibling's"))
        }

        func testAServerThatReturnsEmptyReceivesTheKnownRecord() throws {
            let store = try shortTimeoutStore(.useLastRecord)
            try save(Self.record(1), in: store)
            redis.stop()
            try redis.start()
            let lease = try get(store.lock())
            XCTAssertEqual(try get(lease.load()), Self.record(1))
            lease.unlock()
            XCTAssertEqual(try get(self.store().load()), Self.record(1))
        }

        func testOneLockAtATimeIsGrantedDuringAnOutage() throws {
            let store = try shortTimeoutStore(.useLastRecord)
            try save(Self.record(1), in: store)
            redis.stop()
            let held = try get(store.lock())
            let recorder = ResultRecorder<any CredentialLease>()
            let waiting = store.lock().subscribe { recorder.receive($0) }
            XCTAssertFalse(recorder.wait(0.6))
            held.unlock()
            XCTAssertTrue(recorder.wait(10))
            try recorder.result?.get().unlock()
            waiting.dispose()
        }

        func testAWriteDuringAnOutageIsSentWhenTheServerIsBack() throws {
            let store = try shortTimeoutStore(.useLastRecord)
            try save(Self.record(1), in: store)
            let lease = try get(store.lock())
            redis.pause()
            try get(lease.save(Self.record(2)))
            lease.unlock()
            redis.resume()
            waitUntil("it is written") { try! redis.command("GET", "k").contains("a2") }
        }

        func testARecordThatIsSavedWithoutALeaseAfterTheServerIsBackIsWritten() throws {
            let store = try shortTimeoutStore(.useLastRecord)
            try save(Self.record(1), in: store)
            let bytes = try bulkString(redis.command("GET", "k"))
            redis.pause()
            let lease = try get(store.lock())
            redis.resume()
            try redis.command("SET", "k", #"{"access_token":"a7","version":7}"#)
            waitUntil("it is back") { (try? store.load().result(self))?.version == 7 }
            try redis.command("SET", "k", bytes)
            XCTAssertEqual(try get(store.load()), Self.record(1))
            try get(lease.save(Self.record(2)))
            lease.unlock()
            waitUntil("it is written") { try! redis.command("GET", "k").contains("a2") }
        }

        func testARecordReplacesTheOneWhoseWriteEndedWithoutAReply() throws {
            let store = try shortTimeoutStore(.useLastRecord, lease: .seconds(4))
            try save(Self.record(1), in: store)
            let lease = try get(store.lock())
            redis.pause()
            // The server has the write in its buffer, and makes it when it runs again.
            try get(lease.save(Self.record(2)))
            lease.unlock()
            try save(Self.record(3), in: store)
            redis.resume()
            waitUntil("it is written") { try! redis.command("GET", "k").contains("a3") }
        }

        /// The text of a response of the protocol's type bulk string.
        private func bulkString(_ response: String) -> String {
            String(response.split(separator: "\r\n", maxSplits: 1).last!.dropLast())
        }
    }

    extension PrimitiveSequence where Trait == SingleTrait, Element: Sendable {
        /// The result of the single. The test waits 10 s at most.
        func result(_ test: RedisTestCase) throws -> Element {
            let recorder = ResultRecorder<Element>()
            let subscription = subscribe { recorder.receive($0) }
            defer { subscription.dispose() }
            guard recorder.wait(10), let result = recorder.result else { throw Nothing() }
            return try result.get()
        }
    }
#endif
