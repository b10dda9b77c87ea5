import Freshet
import FreshetHTTPTesting
import FreshetTesting
import XCTest

final class LayersTests: ResourceTestCase {
    func testALayerRespondsForDisabledHostsOnly() throws {
        let scheduler = TestScheduler(initialClock: 0)
        let transport = StubTransport(scheduler: scheduler)
        transport.route { _ in ScriptedResponse(body: "there") }
        let client = Layers.client(over: transport, on: scheduler)
        XCTAssertEqual(try client.get("http://old.example/").toBlocking().single().status.code, 503)
        XCTAssertEqual(try client.get("http://new.example/").toBlocking().single().status.code, 200)
        XCTAssertEqual(transport.requests.map(\.origin), ["http://new.example"])
    }

    func testARuntimeAppliesItsLayersOverItsTransport() throws {
        let runtime = try Layers.runtime()
        defer { runtime.shutdown() }
        XCTAssertEqual(try runtime.client.get("http://old.example/").toBlocking().single().status.code, 503)
        XCTAssertTrue(runtime.refreshClient.layers.isEmpty)
    }
}
