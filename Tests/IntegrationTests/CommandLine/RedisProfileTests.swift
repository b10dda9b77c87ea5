import Freshet
import FreshetHTTPTesting
import RedisServers
import XCTest

/// Tests profiles whose store is a key of Redis.
final class RedisProfileTests: ProfileTestCase {
    #if Redis
        private func redisServer(_ options: [String] = []) throws -> RedisProcess {
            do {
                return try RedisProcess(options)
            } catch is NoRedis {
                throw XCTSkip("there is no redis-server that starts; install it")
            }
        }

        func testLoginGetStatusAndLogoutWorkWithARedisStore() throws {
            let redis = try redisServer()
            let server = try tokenServer()
            let config = try profile(server, store: redis.url(key: "api"))
            try logIn(to: server, config)
            XCTAssertTrue(try redis.command("GET", "api").contains(#""version":1"#))
            server.expireTokens()
            let response = try freshet("get", "\(server.url)/x", "--config", config, "--profile", "p")
            XCTAssertEqual(response.status, 0, response.errorOutput)
            let status = try freshet("status", "--config", config, "--profile", "p")
            XCTAssertEqual(status.status, 0, status.errorOutput)
            XCTAssertEqual(status.objects.first?["version"] as? Int, 2)
            XCTAssertEqual(try freshet("logout", "--config", config, "--profile", "p").status, 0)
            XCTAssertFalse(try redis.command("GET", "api").contains("access_token"))
            XCTAssertEqual(try redis.command("EXISTS", "api:lock"), ":0\r\n", "the lease is given back at the end")
        }

        func testAPasswordIsReadFromTheEnvironmentAndNeverPrinted() throws {
            let redis = try redisServer(["requirepass", "s3cret"])
            let server = try tokenServer()
            let store = "redis://:$REDIS_PASSWORD@127.0.0.1:\(redis.port)/0?key=api"
            let config = try profile(server, store: store)
            let arguments = ["--config", config, "--profile", "p"]
            for (password, status) in [("s3cret", "empty"), ("wr0ng", "")] {
                let run = try FreshetProcess(["status"] + arguments, environment: ["REDIS_PASSWORD": password])
                try run.input.fileHandleForWriting.close()
                let result = run.result()
                XCTAssertEqual(result.status, 1)
                XCTAssertEqual(result.objects.first?["state"] as? String ?? "", status)
                XCTAssertFalse((result.text + result.errorOutput).contains(password), result.errorOutput)
                if status.isEmpty {
                    XCTAssertTrue(result.errorOutput.hasPrefix("freshet: store: "), result.errorOutput)
                }
            }
        }

        func testAnUnavailableServerIsAStoreErrorAtOnce() throws {
            let server = try tokenServer()
            let redis = try redisServer()
            redis.stop()
            let config = try profile(server, store: redis.url())
            let result = try freshet("get", "\(server.url)/x", "--config", config, "--profile", "p")
            XCTAssertEqual(result.status, 1)
            XCTAssertTrue(result.errorOutput.hasPrefix("freshet: store: "), result.errorOutput)
            XCTAssertTrue(result.errorOutput.contains("127.0.0.1:\(redis.port)"), result.errorOutput)
            XCTAssertTrue(result.errorOutput.contains("refused"), "\(result.errorOutput): it was waited for")
        }

        func testAnInvalidURLIsAnErrorBeforeAnythingIsSent() throws {
            for (store, expected) in [
                ("rediss://h?key=k", "TLS"), ("redis://h", "?key=NAME"), ("redis://:s3cret@h:x?key=k", "port"),
            ] {
                let config = try profile(try tokenServer(), store: store)
                let result = try freshet("status", "--config", config, "--profile", "p")
                XCTAssertEqual(result.status, 1)
                XCTAssertTrue(result.errorOutput.hasPrefix("freshet: store: "), result.errorOutput)
                XCTAssertTrue(result.errorOutput.contains(expected), result.errorOutput)
                XCTAssertFalse(result.errorOutput.contains("s3cret"), result.errorOutput)
            }
        }
    #else
        func testWithoutTheTraitARedisStoreIsAnErrorWithBuildAdvice() throws {
            for store in ["redis://h:1/0?key=k", "redis+unix:///s?key=k", "rediss://:s3cret@h?key=k"] {
                let config = try profile(try tokenServer(), store: store)
                let result = try freshet("status", "--config", config, "--profile", "p")
                XCTAssertEqual(result.status, 1)
                XCTAssertTrue(result.errorOutput.hasPrefix("freshet: store: "), result.errorOutput)
                XCTAssertTrue(result.errorOutput.contains("--traits Redis"), result.errorOutput)
                XCTAssertFalse(result.errorOutput.contains("s3cret"), result.errorOutput)
            }
        }
    #endif
}
