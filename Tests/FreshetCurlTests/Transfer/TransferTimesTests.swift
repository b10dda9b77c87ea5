import FreshetCore
import FreshetHTTP
import HTTPTypes
import XCTest

@testable import FreshetCurl

final class TransferTimesTests: XCTestCase {
    private typealias Machine = TransferStateMachine

    func testASmallBodyThatIsSentAtOnceDoesNotExtendTheLimitsForTheResponse() throws {
        var machine = try sent()
        XCTAssertEqual(expiry(&machine, at: 3, uploaded: 4)?.due, Instant(sinceStart: .seconds(3)))
        XCTAssertEqual(machine.stage, .waiting)
    }

    func testASmallBodyThatIsSentInPartsExtendsTheLimitsForTheResponse() throws {
        var machine = try sent()
        _ = expiry(&machine, at: 2, uploaded: 1)
        XCTAssertEqual(machine.stage, .sending)
        XCTAssertEqual(expiry(&machine, at: 3, uploaded: 4)?.due, Instant(sinceStart: .seconds(5)))
    }

    // MARK: Helpers

    /// A POST of 4 bytes that goes out after 1 second, and whose response has to begin within 2 seconds.
    private func sent() throws -> Machine {
        var options = TransferOptions()
        options.firstByteTimeout = .seconds(2)
        var machine = Machine(try Request(.post, "http://example.com/", body: .text("text")), options)
        let outgoing = Machine.Outgoing(
            time: 1000, localPort: 9, errorNumber: 0, address: "192.0.2.1:80", applicationProtocol: nil,
            staleResponseCheck: nil)
        let now = Instant(sinceStart: .seconds(1))
        for input in [Machine.Input.queued, .admitted, .launched(at: now), .requestSent(outgoing)] {
            _ = machine.apply(input)
        }
        return machine
    }

    private func expiry(_ machine: inout Machine, at seconds: Int, uploaded: Int64) -> Machine.Expiry? {
        let progress = Machine.Progress(
            now: Instant(sinceStart: .seconds(seconds)), uploaded: uploaded, latestLine: 0, isPauseWanted: false,
            isConnected: false)
        _ = machine.apply(.progressed(progress))
        return machine.expiry(progress)
    }
}
