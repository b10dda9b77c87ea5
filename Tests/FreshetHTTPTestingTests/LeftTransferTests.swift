import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests what a receiver gets of a transfer that it leaves or pauses.
final class LeftTransferTests: XCTestCase {
    func testNothingFollowsTheInterimResponseInWhichARequestIsLeft() throws {
        let transport = StubTransport()
        transport.enqueue(ScriptedResponse.silence.preceded(by: .earlyHints))
        let receiver = Leaver()
        let transfer = transport.transfer(try Request(.get, "http://a/"), to: receiver)
        receiver.transfer.withLock { $0 = transfer }
        transfer.start()
        XCTAssertEqual(receiver.parts.withLock { $0 }, ["admitted", "requestSent(bytes: 0)", "103"])
    }

    func testNoResponseFollowsThePauseOfARequestThatIsSent() throws {
        let transport = StubTransport()
        transport.enqueue(ScriptedResponse())
        let receiver = Leaver()
        receiver.pauses.withLock { $0 = true }
        let transfer = transport.transfer(try Request(.get, "http://a/"), to: receiver)
        receiver.transfer.withLock { $0 = transfer }
        transfer.start()
        XCTAssertEqual(receiver.parts.withLock { $0 }, ["admitted", "requestSent(bytes: 0)"])
        transfer.resume()
        XCTAssertEqual(receiver.parts.withLock { $0 }, ["admitted", "requestSent(bytes: 0)", "more", "end"])
        receiver.transfer.withLock { $0 = nil }
    }

    func testARequestThatFailsWithoutAConnectionIsNotReportedAsSent() throws {
        let transport = StubTransport()
        transport.enqueue(.failure(HTTPClientError(.connect, phase: .connecting, message: "refused")))
        let receiver = Leaver()
        transport.transfer(try Request(.get, "http://a/"), to: receiver).start()
        XCTAssertEqual(receiver.parts.withLock { $0 }, ["admitted", "end"])
    }
}

/// Leaves at the first interim response.
private final class Leaver: TransferReceiver {
    let transfer = Locked<(any Transfer)?>(nil)
    let pauses = Locked(false)
    let parts = Locked<[String]>([])

    func prepare(_ request: inout Request) -> Adaptation { .ready }
    func willSend(_ request: Request) {}
    func receiveEnd(_ failure: (any Error)?) { parts.withLock { $0.append("end") } }

    func receive(_ part: consuming ResponsePart) {
        switch part {
        case .phase(let phase):
            parts.withLock { $0.append("\(phase)") }
            if case .requestSent = phase, pauses.withLock({ $0 }) { transfer.withLock { $0 }?.pause() }
        case .informational(let head):
            parts.withLock { $0.append("\(head.status.code)") }
            transfer.withLock { $0.take() }?.dispose()
        default: parts.withLock { $0.append("more") }
        }
    }
}
