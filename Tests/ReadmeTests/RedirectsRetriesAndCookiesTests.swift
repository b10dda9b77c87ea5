import Foundation
import Freshet
import FreshetHTTPTesting
import HTTPTypes
import XCTest

final class RedirectsRetriesAndCookiesTests: ResourceTestCase {
    func testAResponseIsFetchedThroughARetryAndARedirectWithTheirCookies() async throws {
        let runtime = try FreshetRuntime()
        let server = try ScriptedServer(on: runtime.loop)
        server.enqueue(
            ScriptedResponse(
                status: .tooManyRequests, headers: [.retryAfter: "0", .setCookie: "visitor=1; max-age=60"]),
            ScriptedResponse(status: .found, headers: [.location: "/in", .setCookie: "session=2"]),
            ScriptedResponse(body: "welcome"))
        let (client, jar) = RedirectsRetriesAndCookies.client(of: runtime)
        let response = try await client.get(server.url).value
        XCTAssertEqual(response.text, "welcome")
        XCTAssertEqual(
            server.requests.map { $0.headers[.cookie] }, [nil, "visitor=1", "visitor=1; session=2"])
        XCTAssertEqual(try RedirectsRetriesAndCookies.restored(from: jar).cookies.map(\.name), ["visitor"])
        server.close()
        runtime.shutdown()
    }
}
