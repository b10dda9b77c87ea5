import CFreshetCurl
import FreshetCore
import FreshetHTTP
import FreshetLoop
import HTTPTypes
import XCTest

@testable import FreshetCurl

final class HeldTransferTests: TransferStateMachineTestCase {
    func testAHeldResponseIsIncompleteAfterSendingHasFailed() throws {
        let loop = try Loop()
        defer { loop.shutdown() }
        for isHeld in [false, true] {
            var machine = try uploading(on: loop)
            XCTAssertEqual(wire(&machine, "2\r\nab\r\n"), [])
            XCTAssertEqual(body(&machine, "ab"), ["wait"])
            if isHeld { _ = machine.apply(.held(.untilNextTurn)) }
            XCTAssertEqual(wire(&machine, "2\r\ncd\r\n0\r\n\r\n"), [])
            if !isHeld { XCTAssertEqual(body(&machine, "cd"), []) }
            XCTAssertEqual(
                complete(&machine, CURLE_SEND_ERROR), [isHeld ? "explain 55" : "leave, keeps handle: false"])
        }
    }

    func testATransferYieldsInTheCallThatHasFilledItsPieces() throws {
        var machine = try receiving("Transfer-Encoding: chunked")
        fill(&machine) { XCTAssertNil($0.hold(isPauseWanted: false, in: 1)) }
        XCTAssertEqual(machine.hold(isPauseWanted: false, in: 1), .untilNextTurn)
        XCTAssertEqual(machine.hold(isPauseWanted: true, in: 1), .byReceiver)
        XCTAssertNil(machine.hold(isPauseWanted: false, in: 2))
        XCTAssertEqual(body(&machine, "on", in: 2), ["wait"])
        XCTAssertNil(machine.hold(isPauseWanted: false, in: 2))
    }

    func testATransferOverHTTP2OrWithACodingNeverYields() throws {
        var multiplexed = try receiving(protocol: "h2")
        XCTAssertTrue(multiplexed.connection.isMultiplexed)
        fill(&multiplexed)
        XCTAssertNil(multiplexed.hold(isPauseWanted: false, in: 1))
        var coded = try receiving("Content-Encoding: gzip")
        XCTAssertNotNil(coded.response.coded)
        fill(&coded)
        XCTAssertNil(coded.hold(isPauseWanted: false, in: 1))
    }

    // MARK: Helpers

    private func receiving(_ field: String? = nil, protocol: String? = nil) throws -> Machine {
        var machine = try launched(url: "\(`protocol` == nil ? "http" : "https")://example.com/")
        _ = goOut(&machine, protocol: `protocol`)
        for line in ["HTTP/1.1 200 OK", field, ""] where line != nil { _ = lines(&machine, line!) }
        XCTAssertEqual(machine.stage, .receiving)
        return machine
    }

    /// A transfer whose body is sent while its chunked response comes.
    private func uploading(on loop: Loop) throws -> Machine {
        let source = RequestBodySource(length: nil, isReplayable: true) { _ in .never() }
        var machine = try launched(.post, body: .text("text"))
        _ = machine.apply(.opensSocket)
        _ = goOut(&machine)
        machine.upload = CurlUpload(source, on: loop) {}
        _ = lines(&machine, "HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "")
        return machine
    }

    /// Hands small pieces out until they are delivered because they are full.
    private func fill(_ machine: inout Machine, before: (Machine) -> Void = { _ in }) {
        for _ in 0..<100 {
            before(machine)
            if body(&machine, String(repeating: "a", count: 1000)).contains(where: { $0.hasPrefix("body") }) { return }
        }
        XCTFail("the pieces were never full")
    }
}
