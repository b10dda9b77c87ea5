import XCTest

/// Tests that the chaos run would notice faults.
final class ChaosLedgerTests: XCTestCase {
    private var ledger = ChaosLedger(uses: 2, seed: 1)

    private func spend(_ tokens: ChaosLedger.Tokens, by client: String, isWithheld: Bool = false) throws
        -> ChaosLedger.Tokens
    {
        try XCTUnwrap(ledger.refresh(tokens.refresh, by: client, isWithheld: isWithheld))
    }

    func testATokenThatALivingProgramUsesAgainIsAFault() throws {
        let tokens = ledger.login()
        _ = try spend(tokens, by: "a")
        XCTAssertNil(ledger.refresh(tokens.refresh, by: "b", isWithheld: false))
        XCTAssertEqual(ledger.faults.count, 1)
        XCTAssertEqual(ledger.counts.expectedReuses, 0)
    }

    func testALostResponseOrAKilledProgramExcusesAReuseUnlessTheNewPairWasUsed() throws {
        for isKilled in [true, false] {
            for isUsed in [true, false] {
                ledger = ChaosLedger(uses: 2, seed: 1)
                let tokens = ledger.login()
                let next = try spend(tokens, by: "a", isWithheld: !isKilled)
                if isKilled { ledger.recordKill(of: "a") }
                if isUsed { XCTAssertTrue(ledger.use(next.access, by: "1")) }
                XCTAssertNil(ledger.refresh(tokens.refresh, by: "b", isWithheld: false))
                XCTAssertEqual(ledger.faults.count, isUsed ? 1 : 0)
                XCTAssertEqual(ledger.counts.expectedReuses, isUsed ? 0 : 1)
                XCTAssertFalse(ledger.use(next.access, by: "2"), "the session has ended")
            }
        }
    }

    func testATokenExpiresAfterItsUsesAndARequestIsAcceptedOnce() {
        let tokens = ledger.login()
        XCTAssertEqual(["1", "2", "3"].map { ledger.use(tokens.access, by: $0) }, [true, true, false])
        XCTAssertTrue(ledger.faults.isEmpty)
        _ = ledger.use(ledger.login().access, by: "1")
        XCTAssertEqual(ledger.faults, ["request 1 was let in twice"])
    }

    func testTokensInTheOutputAreDetected() {
        let tokens = ledger.login()
        let output = ChaosOutput()
        output.add("nothing \(tokens.access.prefix(7)) and \(tokens.refresh.suffix(7))")
        XCTAssertEqual(output.leaks(of: ledger.secrets), 0)
        output.add("x\(tokens.refresh.dropFirst(3).prefix(8))x")
        XCTAssertEqual(output.leaks(of: ledger.secrets), 1)
    }
}
