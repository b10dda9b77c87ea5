import CFreshetCurl
import FreshetCore
import FreshetHTTP
import FreshetLoop
import HTTPTypes
import XCTest

@testable import FreshetCurl

/// Tests when a request is sent again, and what applies to it then.
final class ResendingTests: TransferStateMachineTestCase {
    func testTheTotalTimeoutGoesOnAfterTheServerHasRefusedToContinue() throws {
        var options = TransferOptions()
        options.expectsContinue = .seconds(1)
        options.totalTimeout = .seconds(10)
        var machine = try launched(.post, body: .text("text"), options: options)
        _ = goOut(&machine)
        _ = lines(&machine, "HTTP/1.1 417 Expectation Failed", "")
        XCTAssertEqual(complete(&machine, CURLE_WRITE_ERROR), ["launch"])
        _ = machine.apply(.launched(at: Instant(sinceStart: .seconds(6))))
        XCTAssertEqual(expiry(&machine, at: 6)?.due, Instant(sinceStart: .seconds(11)))
    }

    func testAPostOnAKeptConnectionThatDiedIsNotResent() throws {
        var machine = try launched(.post)
        _ = goOut(&machine)
        XCTAssertEqual(complete(&machine, CURLE_GOT_NOTHING), ["explain 52"])
    }

    func testAGetOnAKeptConnectionThatDiedIsResentOnceOnANewOne() throws {
        var machine = try launched()
        _ = goOut(&machine)
        XCTAssertEqual(complete(&machine, CURLE_GOT_NOTHING), ["send again"])
        XCTAssertTrue(machine.connection.mustBeNew)
        machine.connection.mustBeNew = false
        XCTAssertTrue(goOut(&machine).contains("layer(transport: sent again)"))
        XCTAssertEqual(complete(&machine, CURLE_GOT_NOTHING), ["explain 52"])
    }

    /// Each sending needs a proof of its own, which the adapters make in another attempt.
    func testARequestThatIsNotResendableFailsWithAnErrorThatAsksForAnotherAttemptIfItIsIdempotent() throws {
        for method in [HTTPRequest.Method.get, .post] {
            for isNew in [false, true] {
                var machine = try launched(method)
                machine.request.isResendable = false
                if isNew { _ = machine.apply(.opensSocket) }
                _ = goOut(&machine)
                XCTAssertEqual(complete(&machine, CURLE_GOT_NOTHING), ["explain 52"])
                let error = machine.error(.connectionLost, "", .tryAgain)
                XCTAssertEqual(error.needsNewAttempt, method == .get && !isNew, "\(method) \(isNew)")
            }
        }
    }

    func testARequestThatIsNotResendableAsksForAnotherAttemptWhenLibcurlWouldSendItAgain() throws {
        let loop = try Loop()
        let cases = [(HTTPRequest.Method.get, false, true), (.put, true, false), (.post, false, false)]
        for (method, hasTakenBody, isDue) in cases {
            var machine = try launched(method)
            machine.request.isResendable = false
            _ = goOut(&machine)
            if hasTakenBody { machine.upload = takenUpload(on: loop) }
            XCTAssertEqual(goOut(&machine), ["stop"])
            XCTAssertEqual(machine.error(.connectionLost, "", .tryAgain).needsNewAttempt, isDue, "\(method)")
        }
    }

    func testAGetOnANewConnectionThatDiedIsNotResent() throws {
        var machine = try launched()
        _ = machine.apply(.opensSocket)
        _ = goOut(&machine)
        XCTAssertEqual(complete(&machine, CURLE_GOT_NOTHING), ["explain 52"])
    }

    func testARefusedExpectationIsNotDeliveredAndTheRequestIsSentWithoutIt() throws {
        var options = TransferOptions()
        options.expectsContinue = .seconds(1)
        var machine = try launched(.post, body: .text("text"), options: options)
        XCTAssertTrue(machine.expectsContinue)
        _ = goOut(&machine)
        XCTAssertEqual(lines(&machine, "HTTP/1.1 417 Expectation Failed", ""), ["sent", "stop"])
        XCTAssertEqual(complete(&machine, CURLE_WRITE_ERROR), ["launch"])
        XCTAssertFalse(machine.expectsContinue)
        XCTAssertEqual(machine.sendAttempts.count, 0)
    }

    func testARequestThatIsSentAgainAfterAHeadHasARefusedExpectationOnlyIfTheHeadRefusesIt() throws {
        let loop = try Loop()
        defer { loop.shutdown() }
        var options = TransferOptions()
        options.expectsContinue = .seconds(1)
        let cases: [(HTTPRequest.Method, RequestBody, String, HTTPClientError.Code)] = [
            (.get, .empty, "HTTP/2 200", .connectionLost), (.put, .text("text"), "HTTP/2 200", .connectionLost),
            (.put, .text("text"), "HTTP/2 417", .invalidRequest),
        ]
        for (method, body, head, code) in cases {
            var machine = try launched(method, body: body, options: options)
            _ = goOut(&machine)
            machine.upload = takenUpload(on: loop)
            XCTAssertEqual(lines(&machine, head, "").suffix(1), ["head \(head.suffix(3))"])
            XCTAssertEqual(goOut(&machine), ["stop"])
            XCTAssertEqual(
                complete(&machine, CURLE_WRITE_ERROR), ["leave, keeps handle: false, \(code)"], "\(method) \(head)")
        }
    }

    /// A body that can be read once, of which libcurl has all.
    private func takenUpload(on loop: Loop) -> CurlUpload {
        let source = RequestBodySource(length: 4, isReplayable: false) { _ in .just(Array("text".utf8)) }
        let upload = CurlUpload(source, on: loop) {}
        withUnsafeTemporaryAllocation(byteCount: 8, alignment: 1) { _ = upload.read(into: $0) }
        XCTAssertTrue(upload.isTaken && !upload.canRewind)
        return upload
    }

    func testARequestTimeoutOfAKeptConnectionIsResentOnANewOne() throws {
        var machine = try launched()
        _ = goOut(&machine)
        XCTAssertEqual(lines(&machine, "HTTP/1.1 408 Request Timeout", ""), ["sent", "stop"])
        XCTAssertEqual(complete(&machine, CURLE_WRITE_ERROR), ["send again"])
        XCTAssertTrue(machine.connection.mustBeNew)
    }

    func testTheTimeForTheConnectionBeginsAgainForARequestThatIsSentAgain() throws {
        var options = TransferOptions()
        options.connectTimeout = .seconds(2)
        var machine = try launched(url: "https://example.com/", options: options)
        XCTAssertEqual(expiry(&machine, at: 2)?.due, Instant(sinceStart: .seconds(3)))
        _ = goOut(&machine, protocol: "http/1.1")
        XCTAssertEqual(complete(&machine, CURLE_GOT_NOTHING), ["send again"])
        _ = machine.apply(.sentAgain(at: Instant(sinceStart: .seconds(8))))
        XCTAssertEqual(machine.phase, .resolving)
        machine.connection.mustBeNew = false
        _ = machine.apply(.opensSocket)
        XCTAssertEqual(
            described(machine.apply(.handshakeBegan(address: "192.0.2.1:443", at: 8500))),
            ["connected to 192.0.2.1:443, reused: false"])
        XCTAssertEqual(machine.phase, .securing)
        XCTAssertEqual(expiry(&machine, at: 9)?.due, Instant(sinceStart: .seconds(10)))
        XCTAssertEqual(expiry(&machine, at: 9)?.message, "the connection was not secured in time")
    }
}
