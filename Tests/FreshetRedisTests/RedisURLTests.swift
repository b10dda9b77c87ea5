#if Redis
    import FreshetAuth
    import FreshetRedis
    import XCTest

    @testable import FreshetRedis

    final class RedisURLTests: XCTestCase {
        func testThePartsOfAURLAreParsed() throws {
            let plain = try RedisURL("redis://host:7000/3?key=a%2Fb")
            XCTAssertEqual(plain.server, RedisServer(.host("host", port: 7000), database: 3))
            XCTAssertEqual(plain.key, "a/b")
            XCTAssertEqual(try RedisURL("redis://host?key=k").server, RedisServer(.host("host", port: 6379)))
            XCTAssertEqual(try RedisURL("redis://[::1]:7000?key=k").server, RedisServer(.host("::1", port: 7000)))
            XCTAssertEqual(
                try RedisURL("REDIS://:p%40s@h/?key=k").server, RedisServer(.host("h", port: 6379), password: "p@s"))
            XCTAssertEqual(
                try RedisURL("redis://me:p:@ss/word@h/2?key=k").server,
                RedisServer(.host("h", port: 6379), database: 2, user: "me", password: "p:@ss/word"))
            XCTAssertEqual(
                try RedisURL("redis+unix:///run/redis.sock?db=4&key=k").server,
                RedisServer(.socket(path: "/run/redis.sock"), database: 4))
        }

        func testAnInvalidURLIsRefusedWithoutRepeatingIt() {
            for text in [
                "redis:", "redis://", "redis://secret", "redis://secret/?key=", "redis://secret:x?key=k",
                "redis://secret:70000?key=k", "redis://:secret@?key=k", "redis://secret@h?key=k",
                "redis://h/secret?key=k",
                "redis://h/-1?key=k", "redis://h?key=k&secret=1", "redis://h?key=k&key=secret", "redis://h?key=%secret",
                "redis://h?key=%+5secret",
                "redis://[secret?key=k", "redis+unix://secret?key=k", "http://secret?key=k", "redis://h?key=%00secret",
                "rediss://u:secret@h?key=k",
            ] {
                XCTAssertThrowsError(try RedisURL(text), text) { error in
                    XCTAssertTrue(error is StoreError)
                    XCTAssertFalse("\(error)".contains("secret"), "\(error)")
                }
            }
        }

        func testTLSIsRefusedWithAnAlternative() {
            XCTAssertThrowsError(try RedisURL("rediss://h?key=k")) { error in
                XCTAssertTrue("\(error)".contains("TLS") && "\(error)".contains("stunnel"), "\(error)")
            }
        }

        func testNoDescriptionOfAServerShowsItsPassword() {
            let server = RedisServer(.host("h", port: 1), user: "me", password: "secret")
            var dump = ""
            Swift.dump(server, to: &dump)
            for text in ["\(server)", String(reflecting: server), dump] {
                XCTAssertFalse(text.contains("secret"), text)
            }
            XCTAssertTrue("\(RedisServer(.socket(path: "/s"), password: "secret"))".contains("/s"))
        }
    }
#endif
