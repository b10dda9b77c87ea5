#if Redis
    import Foundation
    import Freshet
    import FreshetHTTPTesting
    import RedisServers
    import XCTest

    /// Tests programs that share one credential in Redis.
    final class RedisProcessesTests: CommandLineTestCase {
        private func redisServer() throws -> RedisProcess {
            do {
                return try RedisProcess()
            } catch is NoRedis {
                throw XCTSkip("there is no redis-server that starts; install it")
            }
        }

        func testTwentyProcessesWithOneRedisKeyRefreshOnceForEachExpiry() throws {
            let redis = try redisServer()
            let processes = 20
            let requests = 150
            let expiries = 10
            var rules = TokenServer.Rules()
            rules.expiry = .evenlySpread(overRequests: processes * requests, expiries: expiries)
            rules.refreshDelay = .milliseconds(20)
            let server = try TokenServer(on: loop, rules: rules)
            atTheEnd { server.close() }
            let tokens = server.signIn()
            try redis.command(
                "SET", "api",
                #"{"access_token":"\#(tokens.accessToken)","refresh_token":"\#(tokens.refreshToken ?? "")","version":1}"#
            )
            let config = try temporaryFile(
                """
                {"profiles": {"p": {"origins": ["\(server.url)"], "store": "\(redis.url(key: "api"))",
                 "refresh": {"url": "\(server.tokenURL)", "client_id": "cli", "limit": 20}}}}
                """, named: "config.json")
            let input = (0..<requests).map { "{\"id\": \($0), \"url\": \"\(server.url)/\($0)\"}\n" }.joined()
            let runs = try (0..<processes).map { _ in
                try FreshetProcess(["run", "--concurrency", "2", "--config", config, "--profile", "p"])
            }
            for run in runs {
                let writing = run.input.fileHandleForWriting
                DispatchQueue.global().async {
                    try? writing.write(contentsOf: Data(input.utf8))
                    try? writing.close()
                }
            }
            for run in runs {
                let result = run.result()
                XCTAssertEqual(result.status, 0, result.errorOutput)
                let failed = result.objects.filter { $0["status"] as? Int != 200 }
                XCTAssertEqual(failed.count, 0, "\(failed.first ?? [:])")
                XCTAssertEqual(result.objects.count, requests)
            }
            XCTAssertEqual(server.counts.expiries, expiries)
            XCTAssertEqual(server.counts.refreshes, expiries)
            XCTAssertEqual(server.counts.refusals, 0)
            XCTAssertEqual(server.counts.accepted, processes * requests)
            XCTAssertTrue(try redis.command("GET", "api").contains(#""version":11"#))
            XCTAssertEqual(try redis.command("EXISTS", "api:lock"), ":0\r\n")
        }
    }
#endif
