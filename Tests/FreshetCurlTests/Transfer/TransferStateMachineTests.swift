import CFreshetCurl
import FreshetCore
import FreshetHTTP
import HTTPTypes
import XCTest

@testable import FreshetCurl

final class TransferStateMachineTests: XCTestCase {
    private typealias Machine = TransferStateMachine

    func testTheEventsOfAResponseAreDeliveredInOrder() throws {
        var machine = try launched()
        XCTAssertEqual(goOut(&machine), ["connected to 192.0.2.1:80, reused: true"])
        XCTAssertEqual(machine.stage, .waiting)
        XCTAssertEqual(lines(&machine, "HTTP/1.1 103 Early Hints", ""), ["sent", "informational 103"])
        XCTAssertEqual(lines(&machine, "HTTP/1.1 200 OK", "Content-Length: 4", ""), ["head 200"])
        XCTAssertEqual(machine.stage, .receiving)
        XCTAssertEqual(body(&machine, "ab"), ["wait"])
        XCTAssertEqual(described(machine.apply(.piecesEnded)), ["body ab"])
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

    func testAGetOnANewConnectionThatDiedIsNotResent() throws {
        var machine = try launched()
        _ = machine.apply(.opensSocket)
        _ = goOut(&machine)
        XCTAssertEqual(complete(&machine, CURLE_GOT_NOTHING), ["explain 52"])
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

    func testARequestThatIsSentAgainAfterAHeadIsTakenForOneWithAnExpectationOnlyIfItHadOne() throws {
        var machine = try launched()
        _ = goOut(&machine)
        _ = lines(&machine, "HTTP/2 200", "")
        XCTAssertEqual(goOut(&machine), ["stop"])
        XCTAssertEqual(complete(&machine, CURLE_WRITE_ERROR), ["leave, keeps handle: false, connectionLost"])
    }

    func testARequestTimeoutOfAKeptConnectionIsResentOnANewOne() throws {
        var machine = try launched()
        _ = goOut(&machine)
        XCTAssertEqual(lines(&machine, "HTTP/1.1 408 Request Timeout", ""), ["sent", "stop"])
        XCTAssertEqual(complete(&machine, CURLE_WRITE_ERROR), ["send again"])
        XCTAssertTrue(machine.connection.mustBeNew)
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

    func testATruncatedResponseInUnreadBytesIsAFailure() throws {
        var machine = try launched(.post, body: .text("text"))
        _ = machine.apply(.opensSocket)
        _ = goOut(&machine)
        let left = Array("HTTP/1.1 413 Content Too Large\r\nContent-Length: 2\r\n\r\nn".utf8)
        XCTAssertEqual(complete(&machine, CURLE_SEND_ERROR, pendingResponse: left), ["sent", "head 413", "explain 55"])
        XCTAssertEqual(described(machine.apply(.ended(nil))), ["body n", "end"])
    }

    // MARK: Helpers

    private let now = Instant(sinceStart: .seconds(1))

    private func launched(
        _ method: HTTPRequest.Method = .get, url: String = "http://example.com/", body: RequestBody = .empty,
        options: TransferOptions = TransferOptions()
    ) throws -> Machine {
        var machine = Machine(try Request(method, url, body: body), options)
        for input in [Machine.Input.queued, .admitted] { XCTAssertEqual(described(machine.apply(input)), []) }
        XCTAssertEqual(described(machine.apply(.launched(at: now))), ["announce", "admitted"])
        return machine
    }

    private func goOut(_ machine: inout Machine, protocol: String? = nil) -> [String] {
        described(
            machine.apply(
                .requestSent(
                    Machine.Outgoing(
                        time: 1000, localPort: 9, errorNumber: 0, address: "192.0.2.1:80",
                        applicationProtocol: `protocol`, staleResponseCheck: nil))))
    }

    private func expiry(_ machine: inout Machine, at seconds: Int) -> Machine.Expiry? {
        let now = Instant(sinceStart: .seconds(seconds))
        let progress = Machine.Progress(
            now: now, uploaded: nil, latestLine: 0, isPauseWanted: false, isConnected: false)
        _ = machine.apply(.progressed(progress))
        return machine.expiry(progress)
    }

    private func lines(_ machine: inout Machine, _ lines: String...) -> [String] {
        lines.flatMap { line in withBytes(line + "\r\n") { described(machine.apply(.lines($0, callbackTime))) } }
    }

    private func body(_ machine: inout Machine, _ text: String) -> [String] {
        withBytes(text) { described(machine.apply(.body($0, callbackTime))) }
    }

    private func complete(_ machine: inout Machine, _ code: CURLcode, pendingResponse: [UInt8] = []) -> [String] {
        described(
            machine.apply(
                .completed(
                    Machine.Completion(
                        code: code, isDisposed: false, lacksDescriptors: false, pendingResponse: pendingResponse,
                        isCutOff: false, isBesideRefused: false))))
    }

    private var callbackTime: Machine.CallbackTime { Machine.CallbackTime(time: 1000, call: 1) }

    private func withBytes<Result>(_ text: String, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        Array(text.utf8).withUnsafeBytes(body)
    }

    private func described(_ actions: [Machine.Action]) -> [String] {
        actions.map { action in
            switch action {
            case .announceRequest: "announce"
            case .deliver(let part): described(part)
            case .reportSent: "sent"
            case .stop: "stop"
            case .defer(.piecesWait): "wait"
            case .conclude(.launch): "launch"
            case .conclude(.sendAgain): "send again"
            case .conclude(.waitForDescriptors): "wait for descriptors"
            case .conclude(.explainFailure(let code)): "explain \(code.rawValue)"
            case .conclude(.leave(let keepsHandle, let failure)):
                "leave, keeps handle: \(keepsHandle)" + ((failure as? HTTPClientError).map { ", \($0.code)" } ?? "")
            case .end(let failure): failure == nil ? "end" : "fail"
            default: "\(action)"
            }
        }
    }

    private func described(_ part: ResponsePart) -> String {
        switch part {
        case .phase(.admitted): "admitted"
        case .phase(.connected(let address, let reused)): "connected to \(address), reused: \(reused)"
        case .phase(let phase): "\(phase)"
        case .sent(let count, _): "sent \(count)"
        case .informational(let head): "informational \(head.status.code)"
        case .head(let head): "head \(head.status.code)"
        case .body(let bytes): "body \(String(decoding: bytes, as: UTF8.self))"
        case .trailers(let fields): "trailers \(fields.map(\.name.rawName).joined(separator: " "))"
        }
    }
}
