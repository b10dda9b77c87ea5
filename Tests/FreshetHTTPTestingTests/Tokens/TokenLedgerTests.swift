import FreshetCore
import XCTest

@testable import FreshetHTTPTesting

final class TokenLedgerTests: XCTestCase {
    private let start = Instant(sinceStart: .zero)

    private func ledger(_ change: (inout TokenServer.Rules) -> Void = { _ in }) -> TokenLedger {
        var rules = TokenServer.Rules()
        change(&rules)
        return TokenLedger(rules: rules)
    }

    func testEveryTokenIsAcceptedForItsCountAndThenRefused() {
        var ledger = ledger { $0.expiry = .afterUses([2, 1]) }
        var tokens = ledger.open(at: start)
        XCTAssertEqual(uses(&ledger, tokens, 4), [.accepted(number: 1), .accepted(number: 2), .expired, .expired])
        tokens = refreshed(&ledger, tokens)
        XCTAssertEqual(uses(&ledger, tokens, 2), [.accepted(number: 3), .expired])
        tokens = refreshed(&ledger, tokens)
        XCTAssertEqual(uses(&ledger, tokens, 2), [.accepted(number: 4), .accepted(number: 5)])
        XCTAssertEqual(ledger.counts.expiries, 2)
        XCTAssertEqual(ledger.counts.refreshes, 2)
        XCTAssertEqual(ledger.counts.rejected, 3)
        XCTAssertEqual(ledger.counts.logins, 1)
    }

    /// The requests come in any order. A refused one refreshes, unless another has done so, and is sent again.
    func testEvenlySpreadExpiriesOccurAsOftenAsConfiguredInAnyOrder() {
        for (total, expiries) in [(1000, 3), (10_000, 3), (5, 3), (4, 3), (7, 1), (100, 9)] {
            var ledger = ledger { $0.expiry = .evenlySpread(overRequests: total, expiries: expiries) }
            var current = ledger.open(at: start)
            var generator = SystemRandomNumberGenerator()
            var crowd = Array(repeating: current, count: total)
            while !crowd.isEmpty {
                let held = crowd.remove(at: Int.random(in: 0..<crowd.count, using: &generator))
                guard ledger.use(held.accessToken, at: start) == .expired else { continue }
                if held == current { current = refreshed(&ledger, current) }
                crowd.append(current)
            }
            XCTAssertEqual(ledger.counts.accepted, total)
            XCTAssertEqual(ledger.counts.expiries, expiries, "\(total)")
            XCTAssertEqual(ledger.counts.refreshes, expiries, "\(total)")
        }
    }

    func testFewRequestsExpireAsManyTokensAsTheyCan() {
        for (total, expiries, expected) in [(10, 9, 9), (10, 10, 9), (3, 5, 2), (3, 0, 0), (3, -1, 0)] {
            var ledger = ledger { $0.expiry = .evenlySpread(overRequests: total, expiries: expiries) }
            var tokens = ledger.open(at: start)
            for _ in 0..<total {
                while ledger.use(tokens.accessToken, at: start) == .expired { tokens = refreshed(&ledger, tokens) }
            }
            XCTAssertEqual(ledger.counts.expiries, expected, "\(expiries) of \(total)")
        }
    }

    func testARefusedStreamIsCountedLikeARefusedRequest() {
        var ledger = ledger { $0.expiry = .after(.seconds(1)) }
        let tokens = ledger.open(at: start)
        XCTAssertFalse(ledger.admitStream(tokens.accessToken, at: start.advanced(by: .seconds(2))))
        XCTAssertEqual(ledger.counts.expiries, 1)
        XCTAssertEqual(ledger.counts.rejected, 1)
        XCTAssertFalse(ledger.admitStream("other", at: start))
        XCTAssertFalse(ledger.admitStream(nil, at: start))
        XCTAssertEqual(ledger.counts.expiries, 1)
        XCTAssertEqual(ledger.counts.rejected, 3)
    }

    func testATokenExpiresAfterItsLifetime() {
        var ledger = ledger { $0.expiry = .after(.seconds(5)) }
        let tokens = ledger.open(at: start)
        XCTAssertEqual(tokens.lifetime, .seconds(5))
        XCTAssertEqual(ledger.use(tokens.accessToken, at: start.advanced(by: .seconds(4))), .accepted(number: 1))
        XCTAssertFalse(ledger.hasEnded(tokens.accessToken, at: start.advanced(by: .seconds(4))))
        XCTAssertTrue(ledger.hasEnded(tokens.accessToken, at: start.advanced(by: .seconds(5))))
        XCTAssertEqual(ledger.use(tokens.accessToken, at: start.advanced(by: .seconds(5))), .expired)
        // A token that has been reported as expired stays expired.
        XCTAssertEqual(ledger.use(tokens.accessToken, at: start), .expired)
    }

    func testTheReuseOfARefreshTokenIsRefusedCountedAndEndsTheSession() {
        var ledger = ledger()
        let first = ledger.open(at: start)
        let second = refreshed(&ledger, first)
        XCTAssertEqual(ledger.use(second.accessToken, at: start), .accepted(number: 1))
        XCTAssertEqual(ledger.refresh(with: first.refreshToken, at: start), .refused)
        XCTAssertEqual(ledger.counts.reuses, 1)
        XCTAssertEqual(ledger.use(second.accessToken, at: start), .expired)
        XCTAssertEqual(ledger.refresh(with: second.refreshToken, at: start), .refused)
        XCTAssertEqual(ledger.counts.reuses, 1)
        XCTAssertEqual(ledger.counts.refusals, 2)
    }

    func testWithoutRotationTheRefreshTokenIsUnchanged() {
        var ledger = ledger { $0.rotatesRefreshTokens = false }
        let first = ledger.open(at: start)
        let second = refreshed(&ledger, first)
        XCTAssertEqual(second.refreshToken, first.refreshToken)
        XCTAssertNotEqual(second.accessToken, first.accessToken)
        _ = refreshed(&ledger, second)
        XCTAssertEqual(ledger.counts.refreshes, 2)
    }

    func testAStreamIsNotCountedAsAUseAndEndsWhenItsTokenIsRefused() {
        var ledger = ledger { $0.expiry = .everyUses(1) }
        let tokens = ledger.open(at: start)
        XCTAssertTrue(ledger.admitStream(tokens.accessToken, at: start))
        XCTAssertEqual(uses(&ledger, tokens, 1), [.accepted(number: 1)])
        XCTAssertFalse(ledger.hasEnded(tokens.accessToken, at: start))
        XCTAssertEqual(uses(&ledger, tokens, 1), [.expired])
        XCTAssertTrue(ledger.hasEnded(tokens.accessToken, at: start))
        XCTAssertFalse(ledger.admitStream(tokens.accessToken, at: start))
    }

    func testAnUnissuedTokenIsUnknownAndNotCountedAsAnExpiry() {
        var ledger = ledger()
        XCTAssertEqual(ledger.use(nil, at: start), .unknown)
        XCTAssertEqual(ledger.use("other", at: start), .unknown)
        XCTAssertEqual(ledger.refresh(with: "other", at: start), .refused)
        XCTAssertEqual(ledger.counts.expiries, 0)
        XCTAssertEqual(ledger.counts.reuses, 0)
    }

    func testARevokedSessionIsRefused() {
        var ledger = ledger()
        let tokens = ledger.open(at: start)
        ledger.revoke(tokens.refreshToken ?? "")
        XCTAssertEqual(uses(&ledger, tokens, 1), [.expired])
        XCTAssertEqual(ledger.refresh(with: tokens.refreshToken, at: start), .refused)
        XCTAssertEqual(uses(&ledger, ledger.open(at: start), 1), [.accepted(number: 1)])
    }

    private func uses(_ ledger: inout TokenLedger, _ tokens: TokenServer.Tokens, _ count: Int) -> [TokenLedger.Use] {
        (0..<count).map { _ in ledger.use(tokens.accessToken, at: start) }
    }

    private func refreshed(_ ledger: inout TokenLedger, _ tokens: TokenServer.Tokens) -> TokenServer.Tokens {
        guard case .granted(let tokens) = ledger.refresh(with: tokens.refreshToken, at: start) else {
            XCTFail("refused")
            return tokens
        }
        return tokens
    }
}
