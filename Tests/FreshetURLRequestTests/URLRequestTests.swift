import Foundation
import FoundationNetworking
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import FreshetURLRequest
import HTTPTypes
import XCTest

final class URLRequestTests: XCTestCase {
    private let url = URL(string: "https://api.example/items?page=2")!

    func testMethodURLFieldsAndBodyAreThoseOfTheURLRequest() throws {
        var foundation = URLRequest(url: url)
        foundation.httpMethod = "PUT"
        foundation.setValue("text/plain", forHTTPHeaderField: "Content-Type")
        foundation.addValue("a", forHTTPHeaderField: "X-List")
        foundation.addValue("b", forHTTPHeaderField: "X-List")
        foundation.httpBody = Data("hello".utf8)

        let request = try Request(foundation)

        XCTAssertEqual(request.method, .put)
        XCTAssertEqual(request.url.absoluteString, url.absoluteString)
        XCTAssertEqual(request.headers, [.contentType: "text/plain", .init("X-List")!: "a,b"])
        XCTAssertEqual(request.body.bytes, Array("hello".utf8))
        XCTAssertNil(request.timeout)
    }

    func testAPOSTWithABodyHasTheContentTypeThatURLSessionGivesIt() throws {
        let form = "application/x-www-form-urlencoded"
        for (method, body, given, sent) in [
            ("POST", "a=1", nil, form), ("POST", "{}", "application/json", "application/json"), ("POST", "", nil, nil),
            ("POST", nil, nil, nil), ("PUT", "a=1", nil, nil), ("PATCH", "a=1", nil, nil),
        ] as [(String, String?, String?, String?)] {
            var foundation = URLRequest(url: url)
            foundation.httpMethod = method
            foundation.httpBody = body.map { Data($0.utf8) }
            foundation.setValue(given, forHTTPHeaderField: "Content-Type")
            XCTAssertEqual(try Request(foundation).headers[.contentType], sent, "\(method) \(body ?? "without")")
        }
    }

    func testOnlyATimeoutThatIsNotFoundationsDefaultLimitsTheRequest() throws {
        let limits: [Double: Duration?] = [
            60: nil, 2.5: .milliseconds(2500), 0: nil, -1: nil, .infinity: .never, .greatestFiniteMagnitude: .never,
        ]
        for (interval, limit) in limits {
            var foundation = URLRequest(url: url)
            foundation.timeoutInterval = interval
            XCTAssertEqual(try Request(foundation).timeout, limit, "\(interval)")
        }
    }

    func testACachePolicyBecomesADirectiveUnlessTheRequestHasOne() throws {
        let directives: [URLRequest.CachePolicy: String?] = [
            .useProtocolCachePolicy: nil, .reloadIgnoringLocalCacheData: "no-cache",
            .returnCacheDataElseLoad: "max-stale", .returnCacheDataDontLoad: "only-if-cached, max-stale",
        ]
        for (policy, directive) in directives {
            var foundation = URLRequest(url: url, cachePolicy: policy)
            XCTAssertEqual(try Request(foundation).headers[.cacheControl], directive)
            foundation.setValue("no-store", forHTTPHeaderField: "Cache-Control")
            XCTAssertEqual(try Request(foundation).headers[.cacheControl], "no-store")
        }
    }

    func testARequestThatCantBeSentIsRefusedWithTheReason() {
        assertRefused("http or https") { $0.url = URL(string: "ftp://api.example/") }
        assertRefused("has no URL") { $0.url = nil }
        assertRefused("method") { $0.httpMethod = "GET /" }
        assertRefused("header field") { $0.setValue("v", forHTTPHeaderField: "X Key") }
        assertRefused("RequestBody.file") { $0.httpBodyStream = InputStream(data: Data()) }
    }

    func testAClientSendsAURLRequest() throws {
        let scheduler = TestScheduler(initialClock: 0)
        let transport = StubTransport(scheduler: scheduler)
        transport.enqueue(ScriptedResponse(status: .created))
        let client = HTTPClient(transport: transport, scheduler: scheduler)
        var foundation = URLRequest(url: url)
        foundation.httpMethod = "POST"

        let response = scheduler.start { client.send(foundation).asObservable() }
        foundation.url = nil
        let refused = scheduler.start { client.send(foundation).asObservable() }

        XCTAssertEqual(response.events.first?.value.element?.status, .created)
        XCTAssertEqual(transport.requests.map(\.method), [.post])
        XCTAssertNotNil(refused.events.first?.value.error)
    }

    private func assertRefused(
        _ words: String, line: UInt = #line, _ change: (inout URLRequest) -> Void
    ) {
        var foundation = URLRequest(url: url)
        change(&foundation)
        XCTAssertThrowsError(try Request(foundation), line: line) {
            XCTAssertEqual(($0 as? HTTPClientError)?.code, .invalidRequest, line: line)
            XCTAssert("\($0)".contains(words), "\($0)", line: line)
        }
    }
}
