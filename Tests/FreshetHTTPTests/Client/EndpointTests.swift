import Foundation
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

final class EndpointTests: StubbedTestCase {
    private struct Article: Codable, Equatable {
        var title: String
        var date = Date(timeIntervalSince1970: 0)
    }

    private struct Problem: Decodable, Error, Equatable {
        var reason: String
    }

    /// All calls of an API.
    private enum Articles: Endpoint {
        typealias Failure = Problem

        case latest
        case create(Article)
        case delete(Int)

        var method: HTTPRequest.Method {
            switch self {
            case .latest: .get
            case .create: .post
            case .delete: .delete
            }
        }

        var path: String { if case .delete(let id) = self { "articles/\(id)" } else { "articles" } }

        var body: RequestBody {
            get throws { if case .create(let article) = self { try .json(article) } else { .empty } }
        }
    }

    private func client(_ configure: (inout HTTPClient.Configuration) -> Void = { _ in }) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        configure(&configuration)
        return HTTPClient(transport: transport, scheduler: scheduler, configuration: configuration)
    }

    private func result<Value>(_ single: Single<Value>) throws -> Value {
        let outcome = Locked<Result<Value, any Error>?>(nil)
        let subscription = single.subscribe { result in outcome.withLock { $0 = result } }
        scheduler.start()
        subscription.dispose()
        return try XCTUnwrap(outcome.withLock { $0 }).get()
    }

    private func failure<Value>(_ single: Single<Value>) -> HTTPClientError? {
        do {
            _ = try result(single)
            return nil
        } catch {
            return error as? HTTPClientError
        }
    }

    func testOneEnumerationDefinesAllEndpointsAndTheCallerChoosesTheType() throws {
        transport.enqueue(.json(#"[{"title": "a", "date": 0}]"#), ScriptedResponse(status: .noContent))
        let articles = try result(client().call(Articles.latest, at: "http://a/v1", as: [Article].self))
        XCTAssertEqual(articles.map(\.title), ["a"])
        try result(client().call(Articles.delete(7), at: "http://a/v1"))
        XCTAssertEqual(
            transport.requests.map { "\($0.method) \($0.target)" }, ["GET /v1/articles", "DELETE /v1/articles/7"])
    }

    func testTheErrorTypeOfTheAPIIsTheCauseOfTheError() {
        transport.enqueue(
            .json(#"{"reason": "locked"}"#, status: .conflict), .json("<html>", status: .badGateway))
        XCTAssertEqual(
            failure(client().call(Articles.delete(7), at: "http://a"))?.underlying as? Problem,
            Problem(reason: "locked"))
        let other = failure(client().call(Articles.delete(7), at: "http://a"))
        XCTAssertEqual(other?.code, .status)
        XCTAssertNil(other?.underlying)
    }

    func testAClientDecodesOneErrorTypeForAllCalls() {
        transport.enqueue(.json(#"{"reason": "locked"}"#, status: .conflict))
        let error = failure(client { $0.failure = Problem.self }.get("http://a/").validate())
        XCTAssertEqual(error?.underlying as? Problem, Problem(reason: "locked"))
    }

    func testTheErrorOfARefusalByTheCredentialsLayerIsDecodedToo() {
        struct Refusing: RequestInterceptor {
            func retry(_ attempt: Attempt) -> Single<RetryResult> {
                var error = HTTPClientError(.refreshStorm, phase: .refreshing, message: "refused again")
                if case .response(let response) = attempt.outcome { error.response = response }
                return .just(.doNotRetryWithError(error))
            }
        }
        transport.enqueue(.json(#"{"reason": "locked"}"#, status: .unauthorized))
        let refusing = client().with(interceptors: [Refusing()])
        let error = failure(refusing.call(Articles.latest, at: "http://a", as: Article.self))
        XCTAssertEqual(error?.code, .refreshStorm)
        XCTAssertEqual(error?.underlying as? Problem, Problem(reason: "locked"))
    }

    func testAnEndpointCanHaveItsOwnTimeout() {
        struct Report: Endpoint {
            var path: String { "report" }
            var timeout: Duration? { .seconds(5) }
        }
        transport.enqueue(.silence)
        XCTAssertEqual(failure(client().call(Report(), at: "http://a"))?.code, .timeout)
        XCTAssertEqual(scheduler.now.sinceStart, .seconds(5))
    }

    func testAPathDoesNotLeadOutOfTheBase() {
        struct File: Endpoint {
            let name: String
            var path: String { "files/\(name)" }
        }
        for name in ["..", "../admin", ".", "a/%2e%2E/b", "%2E./c", ".%2e"] {
            XCTAssertThrowsError(try File(name: name).request(at: "http://a/v1"), name) { error in
                XCTAssertEqual((error as? HTTPClientError)?.code, .invalidRequest, name)
            }
        }
        for name in ["...", "a..b", "%2e%2e%2e", "..a"] {
            XCTAssertNoThrow(try File(name: name).request(at: "http://a/v1"), name)
        }
    }

    func testASlashUnderAMarkEndsADotSegment() {
        struct File: Endpoint {
            let name: String
            var path: String { "files/\(name)" }
        }
        for name in ["../\u{301}x", "./\u{301}x", "../\u{301}x/../\u{301}y"] {
            XCTAssertThrowsError(try File(name: name).request(at: "http://a/v1"), name)
        }
        XCTAssertNoThrow(try File(name: "\u{301}x/..\u{301}").request(at: "http://a/v1"))
    }

    func testAnEndpointWithoutAPathKeepsTheBaseAsItIs() throws {
        struct Root: Endpoint {
            var path = ""
        }
        for base in ["http://a/v1/", "http://a/v1", "http://a/"] {
            XCTAssertEqual(try Root().request(at: base).url.absoluteString, base)
        }
        XCTAssertEqual(try Root(path: "/").request(at: "http://a/v1").url.absoluteString, "http://a/v1/")
        XCTAssertEqual(try Root(path: "b").request(at: "http://a/v1/").url.absoluteString, "http://a/v1/b")
    }

    func testABodyThatCannotBeEncodedFailsTheCall() {
        struct Numbers: Endpoint {
            var body: RequestBody { get throws { try .json([Double.nan]) } }
            var path: String { "" }
        }
        XCTAssertEqual(failure(client().call(Numbers(), at: "http://a"))?.code, .invalidRequest)
        XCTAssertEqual(transport.requestCount, 0)
    }

    func testAnEndpointAndAClientCanHaveTheirOwnDecoders() throws {
        struct Listed: Endpoint {
            typealias Response = [Article]
            var path: String { "" }
            var decoder: (any BodyDecoder)? { PropertyListDecoder() }
        }
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .xml
        let list = try encoder.encode([Article(title: "a")])
        transport.enqueue(ScriptedResponse(body: String(decoding: list, as: UTF8.self)))
        XCTAssertEqual(try result(client().call(Listed(), at: "http://a")), [Article(title: "a")])
        let seconds = JSONDecoder()
        seconds.dateDecodingStrategy = .secondsSince1970
        transport.enqueue(.json(#"{"title": "a", "date": 60}"#))
        let article = try result(client { $0.decoder = seconds }.get("http://a").decode(Article.self))
        XCTAssertEqual(article.date, Date(timeIntervalSince1970: 60))
        transport.enqueue(.json(#"{"title": "a", "date": 60}"#))
        let other = try result(
            client { $0.decoder = seconds }.get("http://a").decode(Article.self, using: JSONDecoder()))
        XCTAssertEqual(other.date, Date(timeIntervalSinceReferenceDate: 60))
    }

    func testTheClientOrTheCallEncodesAValue() throws {
        let seconds = JSONEncoder()
        seconds.dateEncodingStrategy = .secondsSince1970
        transport.enqueue(ScriptedResponse(), ScriptedResponse(), ScriptedResponse())
        let client = client { $0.encoder = seconds }
        _ = try result(client.put("http://a", json: ["date": Date(timeIntervalSince1970: 60)]))
        _ = try result(client.post("http://a", headers: ["X-Kind": "list"], json: [1]))
        _ = try result(client.patch("http://a", body: .encoded([1], using: PropertyListEncoder())))
        XCTAssertEqual(
            transport.requests.map { $0.headers[.contentType] },
            ["application/json", "application/json", "application/x-plist"])
        XCTAssertEqual(transport.requests.first?.text, #"{"date":60}"#)
        XCTAssertEqual(transport.requests[1].headers[HTTPField.Name("X-Kind")!], "list")
    }

    func testURLAndDataOfFoundationAreAccepted() throws {
        transport.enqueue(ScriptedResponse(body: "abc"))
        let url = try XCTUnwrap(URL(string: "http://a/b?c=d"))
        let response = try result(client().post(url, query: ["e": "f"], body: .data(Data("x".utf8))))
        XCTAssertEqual(response.data, Data("abc".utf8))
        XCTAssertEqual(transport.requests.first?.target, "/b?c=d&e=f")
        XCTAssertEqual(transport.requests.first?.text, "x")
        XCTAssertEqual(failure(client().get(URL(fileURLWithPath: "/etc/passwd")))?.code, .invalidRequest)
    }
}
