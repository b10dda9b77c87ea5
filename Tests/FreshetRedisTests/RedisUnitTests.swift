#if Redis
    import FreshetAuth
    import XCTest

    @testable import FreshetRedis

    /// Tests rules that need no server.
    final class RedisUnitTests: XCTestCase {
        func testPausesGrowToASecondAndAreAtLeastHalfAsLong() {
            let longest = [1, 2, 3, 7, 8, 9, 100].map { RedisSession.pause(after: $0, random: 1) }
            XCTAssertEqual(longest, [10, 20, 40, 640, 1000, 1000, 1000].map { .milliseconds($0) })
            XCTAssertEqual(RedisSession.pause(after: 1, random: 0), .milliseconds(5))
        }

        func testAClockOffsetOfOneSecondIsIgnoredAndALargerOneIsMeasuredFromTheMiddle() {
            var clock = RedisClock()
            clock.record(1000.9, now: 1000, roundTrip: .zero)
            XCTAssertEqual(clock.offset, 0)
            clock.record(1060, now: 1001, roundTrip: .seconds(2))
            XCTAssertEqual(clock.offset, 60)
            clock.record(940, now: 1001, roundTrip: .seconds(2))
            XCTAssertEqual(clock.offset, -60)
            // A slow response proves no difference between the clocks.
            clock.record(1000, now: 1004, roundTrip: .seconds(4))
            XCTAssertEqual(clock.offset, 0)
        }

        // Otherwise two reads of one record would differ in its expiry.
        func testAClockOffsetStaysTheSameUntilItChangesByMoreThanASecond() {
            var clock = RedisClock()
            clock.record(1060, now: 1000, roundTrip: .zero)
            clock.record(1160.9, now: 1100, roundTrip: .zero)
            XCTAssertEqual(clock.offset, 60)
            clock.record(1262, now: 1200, roundTrip: .zero)
            XCTAssertEqual(clock.offset, 62)
            // A slow response proves no change.
            clock.record(1365, now: 1306, roundTrip: .seconds(6))
            XCTAssertEqual(clock.offset, 62)
        }

        func testAResponseWithoutATimeDoesNotChangeTheClock() {
            var clock = RedisClock()
            clock.record(1060, now: 1000, roundTrip: .zero)
            clock.record([.null][...], now: 1000, roundTrip: .zero)
            clock.record([.bytes(Array("1000".utf8))][...], now: 1000, roundTrip: .zero)
            XCTAssertEqual(clock.offset, 60)
        }

        // Before Redis 7 the error of a script has another code, and the advice for that one misled.
        func testTheCodeOfAnErrorInAScriptIsThatOfItsCommand() {
            let script = "ERR Error running script (call to f_83e03e): @user_script:6: "
            for (error, code) in [
                ("READONLY You can't write against a read only replica.", "READONLY"),
                ("OOM command not allowed when used memory > 'maxmemory'. script: 6e0f, on @user_script:1.", "OOM"),
                (script + "@user_script: 6: -OOM command not allowed when used memory > 'maxmemory'.", "OOM"),
                (script + "-READONLY You can't write against a read only replica.", "READONLY"),
                (script + "WRONGTYPE Operation against a key holding the wrong kind of value", "WRONGTYPE"),
                (script + "@user_script: 6: Unknown Redis command called from Lua script", "ERR"),
                (script + "-NOPERM The user executing the script can't run this command or subcommand", "NOPERM"),
                ("ERR The user executing the script can't run this command or subcommand script: 06", "NOPERM"),
                ("ERR max number of clients reached", "MAXCLIENTS"), ("ERR", "ERR"), ("", "ERR"), ("secret", "ERR"),
                ("Secret", "ERR"), ("ERR Error running script", "ERR"),
            ] {
                XCTAssertEqual(RedisReply.code(of: error), code, error)
            }
        }

        func testAnErrorNamesTheCodeOfAResponseOnly() {
            let server = RedisServer(.host("h", port: 1), password: "secret")
            for code in [
                "NOAUTH", "READONLY", "OOM", "MISCONF", "WRONGTYPE", "MOVED", "NOPERM", "ERR", "LOADING", "BUSY",
                "NOREPLICAS", "DENIED",
            ] {
                let message = RedisFailure.errorReply(code).error(at: server, key: "k").message
                XCTAssertFalse(message.contains("secret"))
                XCTAssertTrue(message.contains("h:1") && message.contains(";"), message)
            }
        }
    }
#endif
