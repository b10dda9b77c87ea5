import FreshetHTTP
import XCTest

@testable import FreshetCurl

final class ConnectionIdentityTests: XCTestCase {
    private func identity(_ url: String, through proxy: String? = nil, from port: Int32 = 5) throws
        -> ConnectionIdentity
    {
        var queue = AdmissionQueue(perOrigin: 1, total: 1, gauges: Gauges().ordinary)
        let originPool = queue.originPool(for: try RequestURL(url))
        originPool.route = Route(proxy: proxy.flatMap { ProxyServer($0) })
        return ConnectionIdentity(originPool, from: port)
    }

    func testTheOriginAndTheLocalPortIdentifyAConnection() throws {
        XCTAssertEqual(try identity("http://a/1"), try identity("http://a/2"))
        XCTAssertNotEqual(try identity("http://a/"), try identity("http://b/"))
        XCTAssertNotEqual(try identity("http://a/"), try identity("http://a:8080/"))
        XCTAssertNotEqual(try identity("http://a/", from: 5), try identity("http://a/", from: 6))
        XCTAssertEqual(try identity("http://a/", from: -1), try identity("http://a/", from: 0), "both mean no port")
    }

    func testOriginsShareTheConnectionsToAnHTTPProxyUnlessItMakesTunnels() throws {
        let proxy = "http://proxy:3128"
        XCTAssertEqual(try identity("http://a/", through: proxy), try identity("http://b/", through: proxy))
        XCTAssertNotEqual(try identity("http://a/", through: proxy), try identity("http://a/", through: "http://p:80"))
        XCTAssertNotEqual(try identity("https://a/", through: proxy), try identity("https://b/", through: proxy))
        let socks = "socks5://proxy:1080"
        XCTAssertNotEqual(try identity("http://a/", through: socks), try identity("http://b/", through: socks))
    }
}
