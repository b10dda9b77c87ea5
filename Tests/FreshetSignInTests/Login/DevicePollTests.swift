import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

@testable import FreshetSignIn

/// The issues and pull requests in comments are those in which users of other clients reported failures.
final class DevicePollTests: DeviceLoginTestCase {
    private func slowDown(_ rest: String = "") -> ScriptedResponse {
        .json(#"{"error":"slow_down"\#(rest)}"#, status: .badRequest)
    }

    /// netbirdio/netbird PR#7013: without an interval the client polled without a pause.
    func testTheDefaultIntervalIsFiveSeconds() throws {
        for (members, wait) in [("", 5), (#","interval":0"#, 1), (#","interval":"7""#, 7), (#","interval":-1"#, 5)] {
            XCTAssertEqual(try run(code(members), granted).times.withLock { $0 }, [0, Double(wait)], members)
        }
    }

    /// gitify-app/gitify PR#2899, earendil-works/pi#6187: a `slow_down` lengthens the interval of all later polls. If it names
    /// an interval, the larger one applies.
    func testEachSlowDownAddsFiveSecondsPermanently() throws {
        let bench = try run(code(), slowDown(), pending, slowDown(#","interval":40"#), granted)
        XCTAssertEqual(bench.times.withLock { $0 }, [0, 5, 15, 25, 65])
        XCTAssertNotNil(bench.credential)
        let limited = try run(code(), ScriptedResponse(status: .tooManyRequests), granted)
        XCTAssertEqual(limited.times.withLock { $0 }, [0, 5, 15])
    }

    /// NousResearch/hermes-agent#114610: one 502 ended a login of 15 minutes.
    func testNetworkAndGatewayErrorsAreRetriedLessOften() throws {
        let lost = ScriptedResponse.failure(
            HTTPClientError(.connectionLost, phase: .waiting, message: "the connection is lost"))
        let bench = try run(code(), ScriptedResponse(status: .badGateway, body: "<html>"), lost, pending, granted)
        XCTAssertEqual(bench.times.withLock { $0 }, [0, 5, 15, 35, 40])
        XCTAssertNotNil(bench.credential)
        for portal in [
            ScriptedResponse(body: "<html>"),
            ScriptedResponse(status: .found, headers: [.location: "https://portal.example/"]),
        ] {
            let bench = try run(code(), portal, granted)
            XCTAssertEqual(bench.times.withLock { $0 }, [0, 5, 15])
            XCTAssertNotNil(bench.credential)
        }
    }

    /// Auth0 and Spring Boot put the reason of the status, or a code of their own, into the `error` of such responses.
    func testAnErrorOfTheServersOwnDoesNotMakeATemporaryStatusFinal() throws {
        for name in ["too_many_requests", "Too Many Requests"] {
            let limited = ScriptedResponse.json(#"{"error":"\#(name)"}"#, status: .tooManyRequests)
            let bench = try run(code(), limited, pending, granted)
            XCTAssertEqual(bench.times.withLock { $0 }, [0, 5, 15, 25], name)
            XCTAssertNotNil(bench.credential, name)
        }
        for status in [408, 500, 502, 503, 504] {
            let failed = ScriptedResponse.json(#"{"error":"Service Unavailable"}"#, status: .init(code: status))
            let bench = try run(code(), failed, pending, granted)
            XCTAssertEqual(bench.times.withLock { $0 }, [0, 5, 15, 20], "\(status)")
            XCTAssertNotNil(bench.credential, "\(status)")
        }
        for status in [429, 500, 503] {
            let denied = ScriptedResponse.json(#"{"error":"access_denied"}"#, status: .init(code: status))
            XCTAssertEqual(try run(code(), denied, granted).error?.code, .accessDenied, "\(status)")
        }
    }

    /// use-novamira/novamira#111. Source: RFC 6585 section 4, RFC 9110 section 10.2.3.
    func testAPollWaitsAsLongAsTheServerAsks() throws {
        for status in [429, 503] {
            var busy = ScriptedResponse(status: .init(code: status))
            busy.headers[.retryAfter] = "30"
            let bench = try run(code(), busy, pending, granted)
            XCTAssertEqual(bench.times.withLock { Array($0.prefix(3)) }, [0, 5, 35], "\(status)")
            XCTAssertNotNil(bench.credential, "\(status)")
            busy.headers[.retryAfter] = "1"
            XCTAssertEqual(try run(code(), busy, granted).times.withLock { $0 }, [0, 5, 15], "\(status)")
            busy.headers[.retryAfter] = "3600"
            let last = try run(code(life: 60), busy, granted)
            XCTAssertEqual(last.times.withLock { $0 }, [0, 5, status == 429 ? 50 : 55], "\(status)")
        }
    }

    /// RFC 8628 section 3.5: a client must poll less often after a timeout.
    func testErrorsSlowThePollsDownEvenAtALongInterval() throws {
        let gateway = ScriptedResponse(status: .badGateway)
        let bench = try run(code(#","interval":60"#), gateway, gateway, pending, granted)
        XCTAssertEqual(bench.times.withLock { $0 }, [0, 60, 180, 300, 360])
    }

    func testADeviceLoginPollsOnceMoreBeforeItsCodeExpires() throws {
        let gateway = ScriptedResponse(status: .badGateway)
        let bench = try run(code(life: 70), gateway, gateway, gateway, granted)
        XCTAssertEqual(bench.times.withLock { $0 }, [0, 5, 15, 35, 65])
        XCTAssertNotNil(bench.credential)
        let short = try run(code(life: 12), gateway, gateway)
        XCTAssertEqual(short.times.withLock { $0 }, [0, 5, 10])
        XCTAssertEqual(short.error?.code, .timeout)
        XCTAssertEqual(short.now, 1012)
    }

    func testTheErrorNamesTheFailureOfTheLastPoll() throws {
        let lost = ScriptedResponse.failure(
            HTTPClientError(.connect, phase: .connecting, message: "nothing listens there"))
        for (response, failure) in [
            (ScriptedResponse(status: .internalServerError), "the token endpoint responded with 500"),
            (lost, "nothing listens there"),
            (ScriptedResponse(body: "<html>"), "the token endpoint responded with 200, without a JSON object"),
        ] {
            let bench = try run(code(life: 12), response, response)
            XCTAssertEqual(bench.error?.code, .timeout)
            XCTAssertEqual(
                bench.error?.message, "the code was not entered within 12.0 seconds; the last poll failed: \(failure)")
        }
        let recovered = try run(code(life: 12), lost, pending)
        XCTAssertEqual(recovered.error?.message, "the code was not entered within 12.0 seconds")
    }

    func testAPollWithoutAResponseEndsWithTheCode() throws {
        let bench = try run(code(life: 12), .deferred(.never()))
        XCTAssertEqual(bench.error?.code, .timeout)
        XCTAssertEqual(bench.now, 1012)
        let message = try XCTUnwrap(bench.error?.message)
        XCTAssertTrue(message.hasSuffix("the token endpoint has not responded before the code expired"), message)
    }

    /// Auth0 responds with 403, Google with 428, GitHub with 200.
    func testTheErrorCodeDecidesInsteadOfTheStatus() throws {
        for status in [200, 400, 403, 404, 428] {
            let pending = ScriptedResponse.json(#"{"error":"authorization_pending"}"#, status: .init(code: status))
            XCTAssertNotNil(try run(code(), pending, granted).credential, "\(status)")
        }
    }

    /// A person who takes a day at an interval of 1 s must not end the program.
    func testThousandsOfPollsNeedNoMoreStackThanOne() throws {
        let bench = LoginBench()
        bench.script(code(#","interval":1"#, life: 86_400))
        for _ in 0..<7_500 { bench.script(pending) }
        bench.script(granted)
        bench.run(try bench.device().events())
        XCTAssertNotNil(bench.credential)
        XCTAssertEqual(bench.times.withLock { $0.last }, 7_501)
    }
}
