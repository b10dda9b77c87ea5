import CFreshetCurl
import FreshetCore
import FreshetHTTP
import HTTPTypes
import XCTest

@testable import FreshetCurl

/// Tests what the receiver gets to know of the connections of a request that libcurl sends more than once.
final class ConnectionUseTests: XCTestCase {
    private typealias Machine = TransferStateMachine

    func testTheConnectionThatReplacesAKeptOneIsAnnounced() throws {
        var machine = try admitted()
        XCTAssertEqual(connections(sending(&machine, to: "192.0.2.1:80")), ["192.0.2.1:80, reused: true"])
        _ = machine.apply(.opensSocket)
        XCTAssertEqual(connections(sending(&machine, to: "192.0.2.2:80")), ["192.0.2.2:80, reused: false"])
    }

    func testTheConnectionThatReplacesANewOneIsAnnounced() throws {
        var machine = try admitted()
        _ = machine.apply(.opensSocket)
        XCTAssertFalse(machine.beginsConnection, "a socket for another address of the same server")
        XCTAssertEqual(connections(sending(&machine, to: "192.0.2.1:80")), ["192.0.2.1:80, reused: false"])
        XCTAssertTrue(machine.beginsConnection)
        _ = machine.apply(.opensSocket)
        XCTAssertEqual(machine.phase, .connecting)
        XCTAssertEqual(connections(sending(&machine, to: "192.0.2.2:80")), ["192.0.2.2:80, reused: false"])
    }

    func testAKeptConnectionIsAnnouncedOnce() throws {
        var machine = try admitted()
        XCTAssertEqual(connections(sending(&machine, to: "192.0.2.1:80")), ["192.0.2.1:80, reused: true"])
        XCTAssertEqual(connections(sending(&machine, to: "192.0.2.1:80")), [])
    }

    func testTheKeptConnectionOfARequestThatIsSentAgainIsAnnounced() throws {
        var machine = try admitted()
        XCTAssertEqual(connections(sending(&machine, to: "192.0.2.1:80")), ["192.0.2.1:80, reused: true"])
        _ = machine.apply(.sentAgain(at: Instant(sinceStart: .seconds(2))))
        XCTAssertEqual(connections(sending(&machine, to: "192.0.2.2:80")), ["192.0.2.2:80, reused: true"])
    }

    func testTheAlertsOfAConnectionAreForgottenOnTheOneThatReplacesIt() throws {
        for alert in [freshet_alert_close_notify, freshet_alert_certificate_required] {
            var machine = try admitted()
            _ = sending(&machine, to: "192.0.2.1:443")
            _ = machine.apply(.alerted(alert))
            _ = machine.apply(.opensSocket)
            XCTAssertEqual(machine.connection.tls, .open)
        }
    }

    /// Servers in Java send `user_canceled` before `close_notify` over TLS 1.3.
    func testAnAlertThatReportsNoErrorLeavesTheEndOfTLS() throws {
        let close = freshet_alert_close_notify
        let cases: [([Int], ConnectionUse.TLS)] = [
            ([freshet_alert_user_canceled], .open), ([freshet_alert_user_canceled, close], .ended),
            ([freshet_alert_certificate_required, close], .failed(freshet_alert_certificate_required)),
        ]
        for (alerts, tls) in cases {
            var machine = try admitted()
            for alert in alerts { _ = machine.apply(.alerted(alert)) }
            XCTAssertEqual(machine.connection.tls, tls)
        }
    }

    // MARK: Helpers

    private func admitted() throws -> Machine {
        var machine = Machine(try Request(.get, "http://example.com/"), TransferOptions())
        for input in [Machine.Input.queued, .admitted, .launched(at: Instant(sinceStart: .seconds(1)))] {
            _ = machine.apply(input)
        }
        return machine
    }

    private func sending(_ machine: inout Machine, to address: String) -> [Machine.Action] {
        machine.apply(
            .requestSent(
                Machine.Outgoing(
                    time: 1000, localPort: 9, errorNumber: 0, address: address, applicationProtocol: nil,
                    staleResponseCheck: nil)))
    }

    private func connections(_ actions: [Machine.Action]) -> [String] {
        actions.compactMap { action in
            guard case .deliver(.phase(.connected(let address, let reused))) = action else { return nil }
            return "\(address), reused: \(reused)"
        }
    }
}
