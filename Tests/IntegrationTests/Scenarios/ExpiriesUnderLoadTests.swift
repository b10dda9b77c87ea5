import FreshetAuth
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetLoop
import HTTPTypes
import XCTest

/// Tests tokens that end after a number of requests, under many requests at once: every request has a response, and there are
/// as many refreshes as expiries, however fast the machine is.
final class ExpiriesUnderLoadTests: ScenarioTestCase {
    private func run(_ total: Int, expiries: Int, line: UInt = #line) async throws {
        var rules = TokenServer.Rules()
        rules.expiry = .evenlySpread(overRequests: total, expiries: expiries)
        let server = try TokenServer(on: loop, rules: rules)
        let authenticator = try oauth(server)
        let gate = gate(MemoryStore(Credential(server.signIn())), authenticator)
        let client = client(
            AuthenticationInterceptor(gate: gate, authenticator: authenticator, origins: [try Origin(server.url)]))
        let paths = try await Observable.from(Array(0..<total)).flatMap { number in
            client.get("\(server.url)/\(number)").validate().map { $0.text == #"{"path":"/\#(number)"}"# }
        }.toArray().value
        XCTAssertEqual(paths.count, total, line: line)
        XCTAssertFalse(paths.contains(false), line: line)
        let counts = server.counts
        XCTAssertEqual(counts.accepted, total, line: line)
        XCTAssertEqual(counts.expiries, expiries, line: line)
        XCTAssertEqual(counts.refreshes, expiries, line: line)
        XCTAssertEqual(counts.reuses, 0, line: line)
    }

    func testAThousandRequestsGetResponsesThroughThreeExpiries() async throws {
        try await run(1000, expiries: 3)
    }
}
