import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

final class ResponseScriptTests: XCTestCase {
    func testAScriptThatKeepsNoRequestsCountsAndEmitsThem() throws {
        let script = ResponseScript(keepsRequests: false)
        let transport = StubTransport(script: script)
        transport.enqueue(ScriptedResponse(), ScriptedResponse())
        let paths = Locked<[String]>([])
        let subscription = script.received.subscribe(onNext: { request in paths.withLock { $0.append(request.path) } })
        for path in ["/a", "/b"] {
            _ = try transport.parts(.init(.get, "http://example.com\(path)")).toBlocking().toArray()
        }
        subscription.dispose()
        XCTAssertEqual(paths.withLock { $0 }, ["/a", "/b"])
        XCTAssertEqual(script.requestCount, 2)
        XCTAssertTrue(script.requests.isEmpty)
    }
}
