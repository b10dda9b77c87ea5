import CFreshetCurl
import FreshetCore
import FreshetHTTP
import HTTPTypes
import XCTest

@testable import FreshetCurl

final class TransferStateMachineTests: TransferStateMachineTestCase {
    func testTheEventsOfAResponseAreDeliveredInOrder() throws {
        var machine = try launched()
        XCTAssertEqual(goOut(&machine), ["connected to 192.0.2.1:80, reused: true"])
        XCTAssertEqual(machine.stage, .waiting)
        XCTAssertEqual(lines(&machine, "HTTP/1.1 103 Early Hints", ""), ["sent", "informational 103"])
        XCTAssertEqual(lines(&machine, "HTTP/1.1 200 OK", "Content-Length: 4", ""), ["head 200"])
        XCTAssertEqual(machine.stage, .receiving)
        XCTAssertEqual(body(&machine, "ab"), ["wait"])
        XCTAssertEqual(described(machine.apply(.deliverPieces)), ["body ab"])
        XCTAssertEqual(body(&machine, "cd"), ["body cd"])
        XCTAssertEqual(complete(&machine, CURLE_OK), ["leave, keeps handle: true"])
        XCTAssertEqual(described(machine.apply(.ended(nil))), ["end"])
        XCTAssertEqual(machine.stage, .ended)
    }

    func testTrailersAreDeliveredBeforeTheEnd() throws {
        var machine = try launched()
        _ = goOut(&machine)
        _ = lines(&machine, "HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "")
        _ = body(&machine, "ab")
        XCTAssertEqual(lines(&machine, "X-Sum: 3", ""), [])
        XCTAssertEqual(described(machine.apply(.ended(nil))), ["body ab", "trailers X-Sum", "end"])
    }

    func testABodyThatIsLongerThanTheLimitStopsLibcurl() throws {
        var options = TransferOptions()
        options.maximumBodySize = 3
        var machine = try launched(options: options)
        _ = goOut(&machine)
        _ = lines(&machine, "HTTP/1.1 200 OK", "")
        XCTAssertEqual(body(&machine, "abc") + body(&machine, "d"), ["wait", "stop"])
        XCTAssertEqual(complete(&machine, CURLE_WRITE_ERROR), ["leave, keeps handle: false, tooLarge"])
    }

    func testACompleteResponseIsDeliveredHoweverItsStreamEnds() throws {
        var machine = try launched(.post)
        _ = goOut(&machine)
        _ = lines(&machine, "HTTP/2 401", "content-length: 2", "")
        _ = body(&machine, "no")
        XCTAssertEqual(complete(&machine, CURLE_HTTP2_STREAM), ["leave, keeps handle: false"])
    }

    func testATruncatedResponseIsNotComplete() throws {
        var machine = try launched()
        _ = goOut(&machine)
        _ = lines(&machine, "HTTP/1.1 200 OK", "Content-Length: 3", "")
        _ = body(&machine, "no")
        XCTAssertEqual(complete(&machine, CURLE_OK), ["leave, keeps handle: true, connectionLost"])
    }

    func testATransferWithoutADescriptorWaitsForOne() throws {
        var machine = try launched()
        _ = machine.apply(.lacksDescriptors)
        XCTAssertEqual(complete(&machine, CURLE_COULDNT_CONNECT), ["wait for descriptors"])
        _ = machine.apply(.requeued)
        XCTAssertEqual(machine.stage, .queued)
        XCTAssertEqual(described(machine.apply(.launched(at: now))), ["announce"])
    }

    func testOnlyASecureRequestHasATLSHandshake() throws {
        var plain = try launched()
        _ = plain.apply(.opensSocket)
        XCTAssertEqual(described(plain.apply(.handshakeBegan(address: "192.0.2.1:80", at: 1))), [])
        var secure = try launched(url: "https://example.com/")
        _ = secure.apply(.opensSocket)
        XCTAssertEqual(
            described(secure.apply(.handshakeBegan(address: "192.0.2.1:443", at: 1))),
            ["connected to 192.0.2.1:443, reused: false"])
        XCTAssertEqual(secure.phase, .securing)
    }

    func testAServerWithoutHTTP2FailsARequestThatRequiresIt() throws {
        var options = TransferOptions()
        options.version = .http2
        var machine = try launched(url: "https://example.com/", options: options)
        _ = machine.apply(.opensSocket)
        XCTAssertEqual(goOut(&machine, protocol: "http/1.1").last, "stop")
        XCTAssertEqual(machine.failure?.code, .protocol)
        XCTAssertEqual(machine.failure?.isUnsent, true)
    }

    func testARequestThatAskedForHTTP1DoesNotTellWhatTheOriginSpeaks() throws {
        for (version, isTold) in [(TransferOptions.Version.automatic, true), (.http1, false)] {
            var options = TransferOptions()
            options.version = version
            var machine = try launched(url: "https://example.com/", options: options)
            _ = machine.apply(.opensSocket)
            XCTAssertEqual(goOut(&machine, protocol: "http/1.1").contains("recordMultiplexing(false)"), isTold)
        }
    }

    func testUnreadBytesOfTheConnectionAreTheResponse() throws {
        var machine = try launched(.post, body: .text("text"))
        _ = goOut(&machine)
        let left = Array("HTTP/1.1 413 Content Too Large\r\nContent-Length: 2\r\n\r\nno".utf8)
        XCTAssertEqual(
            complete(&machine, CURLE_SEND_ERROR, pendingResponse: left),
            ["sent", "head 413", "body no", "leave, keeps handle: false"])
    }

    func testUnreadBytesAfterAnInterimResponseAreTheResponse() throws {
        var machine = try launched(.post, body: .text("text"))
        _ = goOut(&machine)
        XCTAssertEqual(lines(&machine, "HTTP/1.1 100 Continue", ""), ["sent", "informational 100"])
        let left = Array("HTTP/1.1 413 Content Too Large\r\nContent-Length: 2\r\n\r\nno".utf8)
        XCTAssertEqual(
            complete(&machine, CURLE_SEND_ERROR, pendingResponse: left),
            ["head 413", "body no", "leave, keeps handle: false"])
    }

    func testUnreadBytesInTheMiddleOfAHeadAreNoResponse() throws {
        var machine = try launched(.post, body: .text("text"))
        _ = machine.apply(.opensSocket)
        _ = goOut(&machine)
        XCTAssertEqual(lines(&machine, "HTTP/1.1 413 Content Too Large"), ["sent"])
        let left = Array("Content-Length: 2\r\n\r\nno".utf8)
        XCTAssertEqual(complete(&machine, CURLE_SEND_ERROR, pendingResponse: left), ["explain 55"])
    }

    func testATruncatedResponseInUnreadBytesIsAFailure() throws {
        var machine = try launched(.post, body: .text("text"))
        _ = machine.apply(.opensSocket)
        _ = goOut(&machine)
        let left = Array("HTTP/1.1 413 Content Too Large\r\nContent-Length: 2\r\n\r\nn".utf8)
        XCTAssertEqual(complete(&machine, CURLE_SEND_ERROR, pendingResponse: left), ["sent", "head 413", "explain 55"])
        XCTAssertEqual(described(machine.apply(.ended(nil))), ["body n", "end"])
    }
}
