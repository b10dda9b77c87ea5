import Freshet
import FreshetHTTPTesting
import XCTest

final class ConnectionsTests: ResourceTestCase {
    func testLimitsAndAFixedResolverAreApplied() async throws {
        let runtime = try Connections.limited()
        let server = try ScriptedServer(on: runtime.loop)
        server.enqueue(ScriptedResponse(body: "here"))
        let response = try await runtime.client.get(server.url).value
        XCTAssertEqual(response.text, "here")
        XCTAssertEqual(runtime.gauges, ConnectionPoolStatistics(open: 1, idle: 1))
        server.close()
        runtime.shutdown()
        let found = try await Connections.FixedResolver().addresses(of: "a.internal").value
        XCTAssertEqual(found, ["10.0.0.5"])
    }

    func testNoDescriptionOfAConfigurationContainsASecret() throws {
        var configuration = FreshetRuntime.Configuration()
        try Connections.addressed(&configuration)
        Connections.secured(&configuration, passphrase: "s3cr3t", current: "a", next: "b")
        Connections.proxied(&configuration, secret: "s3cr3t")
        var dumped = ""
        dump(configuration, to: &dumped)
        XCTAssertFalse((dumped + String(reflecting: configuration)).contains("s3cr3t"))
    }
}
