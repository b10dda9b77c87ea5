#if Redis
    import FreshetAuth
    import FreshetCore
    import FreshetLoop
    import FreshetRedis
    import RedisServers
    import XCTest

    /// Tests a server that responds with errors.
    final class RedisErrorTests: RedisTestCase {
        func testAReplicaIsRefusedBeforeATokenIsUsed() throws {
            let store = try store()
            try save(Self.record(1), in: store)
            waitUntil("the lease is given back") { try! redis.command("EXISTS", "k:lock") == ":0\r\n" }
            try redis.command("REPLICAOF", "127.0.0.1", "1")
            XCTAssertTrue(try error(of: store.lock()).message.contains("replica"))
            // A replica that has lost its primary may still be read.
            XCTAssertEqual(try get(store.load()), Self.record(1))
            try redis.command("REPLICAOF", "NO", "ONE")
            try save(Self.record(2), in: store)
        }

        // The address is a name or a balancer's, which leads to the new primary. The old one keeps the connections that it has.
        func testAStoreReachesTheNewPrimaryBehindItsAddress() throws {
            let store = try store()
            try save(Self.record(1), in: store)
            waitUntil("the lease is given back") { try! redis.command("EXISTS", "k:lock") == ":0\r\n" }
            let primary = try RedisProcess()
            try redis.command("REPLICAOF", "127.0.0.1", "1")
            try redis.command("CONFIG", "SET", "port", "0")
            try primary.command("CONFIG", "SET", "port", "\(redis.port)")
            XCTAssertTrue(try error(of: store.lock()).message.contains("replica"))
            try save(Self.record(2), in: store)
            XCTAssertTrue(try primary.command("GET", "k").contains("a2"))
        }

        func testAFullServerIsAnErrorBeforeATokenIsUsed() throws {
            let store = try store()
            try save(Self.record(1), in: store)
            waitUntil("the lease is given back") { try! redis.command("EXISTS", "k:lock") == ":0\r\n" }
            try redis.command("CONFIG", "SET", "maxmemory", "1")
            XCTAssertTrue(try error(of: store.lock()).message.contains("memory"))
            XCTAssertEqual(try get(store.load()), Self.record(1))
            try redis.command("CONFIG", "SET", "maxmemory", "0")
            try save(Self.record(2), in: store)
        }

        func testAKeyOfAnotherTypeIsNotChangedAndNoLeaseRemains() throws {
            try redis.command("LPUSH", "k", "something else")
            let store = try store()
            XCTAssertTrue(try error(of: store.load()).message.contains("something else; use another"))
            XCTAssertTrue(try error(of: store.lock()).message.contains("something else; use another"))
            XCTAssertEqual(try redis.command("EXISTS", "k:lock"), ":0\r\n")
            XCTAssertEqual(try redis.command("LLEN", "k"), ":1\r\n")
        }

        func testAValueThatIsTooLongForACredentialIsAnErrorThatNamesTheCause() throws {
            try redis.command("SET", "k", "")
            try redis.command("SETRANGE", "k", "\(8 << 20)", "x")
            let store = try store()
            XCTAssertTrue(try error(of: store.load()).message.contains("too long for a credential"))
            try redis.command("DEL", "k")
            waitUntil("the connection is back") { (try? store.load().result(self)) == .empty }
        }

        func testAServerWithoutFreeConnectionsIsRetriedAndThenAnError() throws {
            let held = try redis.hold()
            try redis.command("CONFIG", "SET", "maxclients", "1")
            let store = try shortTimeoutStore()
            XCTAssertTrue(try error(of: store.load()).message.contains("maxclients"))
            close(held)
            waitUntil("there is room") { (try? store.load().result(self)) == .empty }
        }

        func testARunningScriptOfAnotherClientIsAwaited() throws {
            let store = try store()
            try save(Self.record(1), in: store)
            let held = try redis.hold()
            defer { close(held) }
            try redis.command("CONFIG", "SET", "busy-reply-threshold", "20")
            redis.send(["EVAL", "local i = 0; while i < 3e7 do i = i + 1 end", "0"], to: held)
            waitUntil("it is busy") { try! redis.command("PING").contains("BUSY") }
            try save(Self.record(2), in: store)
        }

        func testFlushedScriptsAreLoadedAgain() throws {
            let store = try store()
            try save(Self.record(1), in: store)
            try redis.command("SCRIPT", "FLUSH")
            try save(Self.record(2), in: store)
        }

        func testAServerThatIsNotRedisIsAnErrorWithoutAHang() throws {
            for response in ["HTTP/1.1 400 Bad Request\r\n\r\n", "", "$99999999999999999999\r\n", "*3\r\n$1\r\n"] {
                let peer = Peer(answering: response)
                defer { peer.close() }
                var settings = RedisConnection.Settings()
                settings.connectTimeout = .milliseconds(300)
                let store = try RedisStore("redis://127.0.0.1:\(peer.port)?key=k", on: loop, connection: settings)
                let error = try error(of: store.lock())
                XCTAssertTrue(error.message.contains("127.0.0.1"), error.message)
            }
        }
    }

    /// Tests a server that requires a password.
    final class RedisPasswordTests: RedisTestCase {
        override var options: [String] { ["requirepass", "s3cret/@:", "acllog-max-len", "1"] }

        private func store(_ userInfo: String) throws -> RedisStore {
            try RedisStore("redis://\(userInfo)127.0.0.1:\(redis.port)/1?key=k", on: loop)
        }

        func testTheRightPasswordIsAccepted() throws {
            try save(Self.record(1), in: store(":s3cret%2F%40:@"))
            try save(Self.record(1), in: store("default:s3cret/@:@"))
        }

        func testAUserWithFewPermissionsIsEnough() throws {
            let words = ["AUTH", "s3cret/@:"]
            XCTAssertEqual(
                try redis.commands(
                    words,
                    [
                        "ACL", "SETUSER", "me", "on", ">pw", "~k", "~k:lock", "&k:lock*", "+eval", "+get", "+set",
                        "+del",
                        "+pttl", "+pexpire", "+time", "+publish", "+subscribe", "+unsubscribe", "+select", "+ping",
                    ]), "+OK\r\n+OK\r\n")
            let (first, second) = (try store("me:pw@"), try store("me:pw@"))
            try save(Self.record(1), in: first)
            let lease = try get(first.lock())
            let recorder = ResultRecorder<any CredentialLease>()
            let waiting = second.lock().subscribe { recorder.receive($0) }
            waitUntil("somebody listens") {
                try! redis.commands(words, ["PUBSUB", "NUMSUB", "k:lock@1"]).contains(":1\r")
            }
            lease.unlock()
            XCTAssertTrue(recorder.wait(20))
            try recorder.result?.get().unlock()
            waiting.dispose()
        }

        // The error of a script whose user may not run one of its commands has no code of its own.
        func testAUserWithoutACommandOfAScriptIsAnErrorThatNamesTheCommands() throws {
            XCTAssertEqual(
                try redis.commands(
                    ["AUTH", "s3cret/@:"],
                    ["ACL", "SETUSER", "me", "on", ">pw", "~*", "&*", "+eval", "+get", "+select", "+ping"]),
                "+OK\r\n+OK\r\n")
            let message = try error(of: store("me:pw@").lock()).message
            XCTAssertTrue(message.contains("the commands eval, get, set"), message)
        }

        func testAUserWithoutAPasswordIsNotTheDefaultUser() throws {
            XCTAssertEqual(
                try redis.commands(
                    ["AUTH", "s3cret/@:"], ["CONFIG", "SET", "requirepass", ""],
                    ["ACL", "SETUSER", "me", "on", "nopass", "~other", "+@all"]), "+OK\r\n+OK\r\n+OK\r\n")
            XCTAssertTrue(try error(of: store("me:@").lock()).message.contains("NOPERM"))
            XCTAssertTrue(try error(of: store("wh0:@").lock()).message.contains("password"))
        }

        func testAMissingOrWrongPasswordIsAnErrorWithAdviceAndWithoutThePassword() throws {
            for userInfo in ["", ":wr0ng@", "wh0:wr0ng@"] {
                let error = try error(of: store(userInfo).lock())
                XCTAssertTrue(error.message.contains("password"), error.message)
                for secret in ["s3cret", "wr0ng", "wh0"] {
                    XCTAssertFalse(error.message.contains(secret), error.message)
                }
            }
        }
    }

    /// Tests a server that keeps its data on its disk, and reads it slowly at its start.
    final class RedisPersistenceTests: RedisTestCase {
        override var options: [String] {
            [
                "appendonly", "yes", "appendfsync", "always", "loading-process-events-interval-bytes", "1024",
                "key-load-delay", "10000",
            ]
        }

        func testAServerThatLoadsItsDataIsAwaited() throws {
            let store = try store()
            for number in 0..<80 { try redis.command("SET", "x\(number)", String(repeating: "x", count: 2000)) }
            try save(Self.record(1), in: store)
            redis.stop()
            try redis.start(waiting: false)
            XCTAssertEqual(try get(store.load()), Self.record(1))
            try save(Self.record(2), in: store)
        }
    }
#endif
