import FreshetHTTP
import HTTPTypes
import XCTest

@testable import FreshetEvents

final class EventSourceReopeningTests: XCTestCase {
    private func waits(_ actions: [EventSourceStateMachine.Action]) -> Bool {
        actions.contains { if case .wait = $0 { true } else { false } }
    }

    /// Events that arrive during the random wait before a reopening, and have no ID, would be lost with the connection.
    func testAStreamWithoutIDsIsNotReopenedOnceItHasDelivered() {
        var machine = EventSourceStateMachine(EventSource.Settings(), isOneShot: false)
        var actions: [EventSourceStateMachine.Action] = []
        for input in [
            EventSourceStateMachine.Input.start, .headReceived(HTTPResponse(status: .ok), .stream),
            .credentialChanged(.expired, hasID: false),
        ] {
            actions = []
            machine.apply(input, &actions)
        }
        XCTAssertTrue(waits(actions))
        machine.recordDelivery()
        actions = []
        machine.apply(.waited(hasID: false), &actions)
        XCTAssertTrue(actions.isEmpty)
        machine.apply(.credentialChanged(.expired, hasID: true), &actions)
        XCTAssertTrue(waits(actions), "the next change counts")
    }

    /// Source: the WHATWG standard, "reestablish the connection", whose first step waits for the reconnection time.
    func testAStreamThatEndsWithItsCredentialWaitsForTheReconnectionTimeToo() {
        let loss = HTTPClientError(.connectionLost, phase: .receiving, message: "x")
        for end in [EventSourceStateMachine.Input.ended, .failed(loss)] {
            var settings = EventSource.Settings()
            settings.reconnectionTime = .seconds(30)
            settings.random = { 0.5 }
            var machine = EventSourceStateMachine(settings, isOneShot: false)
            var actions: [EventSourceStateMachine.Action] = []
            machine.apply(.start, &actions)
            machine.apply(.headReceived(HTTPResponse(status: .ok), .stream), &actions)
            machine.recordActivity()
            machine.recordDelivery()
            machine.apply(.credentialChanged(.expired, hasID: true), &actions)
            actions = []
            machine.apply(end, &actions)
            let delays = actions.compactMap { if case .wait(let delay) = $0 { delay } else { nil } }
            XCTAssertEqual(delays, [.milliseconds(30_500)])
        }
    }
}
