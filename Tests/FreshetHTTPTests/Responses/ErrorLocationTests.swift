import FreshetCore
import FreshetHTTP
import HTTPTypes
import XCTest

/// Tests that errors about a response name its request, its attempt and its server.
final class ErrorLocationTests: DownloadTestCase {
    /// A client whose server has the address `192.0.2.1:80`.
    private func client(
        _ head: HTTPResponse, _ body: String, interceptors: [any RequestInterceptor] = []
    ) -> HTTPClient {
        let transport = ObservableTransport { request in
            if request.url.path == "/stored" { return .of(.head(head), .body(Array(body.utf8))) }
            let redirect = HTTPResponse(status: .found, headerFields: [.location: "/stored"])
            return .of(
                .phase(.connected(address: "192.0.2.1:80", reused: false)),
                .head(request.url.path == "/moved" ? redirect : head), .body(Array(body.utf8)))
        }
        return HTTPClient(transport: transport, scheduler: scheduler, interceptors: interceptors)
    }

    private func failure<Value: Sendable>(_ single: Single<Value>) -> String {
        error(of: single).map { "\($0)" } ?? ""
    }

    private func error<Value: Sendable>(of single: Single<Value>) -> (any Error)? {
        let failure = Locked<(any Error)?>(nil)
        let subscription = single.subscribe(onFailure: { error in failure.withLock { $0 = error } })
        scheduler.start()
        subscription.dispose()
        return failure.withLock { $0 }
    }

    private func failure(
        of client: HTTPClient, with configure: (inout DownloadOptions) -> Void = { _ in }
    ) throws -> HTTPClientError? {
        let (log, subscription) = startDownload(
            try Request(.get, "http://a/file?key=s3cret"), by: client, with: configure)
        scheduler.start()
        subscription.dispose()
        return log.withLock { $0.error }
    }

    func testTheErrorOfARefusedDownloadNamesTheAttemptAndTheServer() throws {
        let policy = RetryPolicy(limit: 1, random: { 0 }, secondsSince1970: { 0 })
        let error = try failure(of: client(HTTPResponse(status: .serviceUnavailable), "", interceptors: [policy]))
        let text = error.map { "\($0)" } ?? ""
        XCTAssertTrue(
            text.hasSuffix("(receiving the response, GET http://a/file, attempt 2, 192.0.2.1:80)"), text)
        XCTAssertEqual(error?.attempt, 2)
        XCTAssertEqual(error?.peer, "192.0.2.1:80")
    }

    func testTheErrorOfAShortDownloadNamesTheServer() throws {
        let client = client(HTTPResponse(status: .ok, headerFields: [.contentLength: "11"]), "hello")
        for resumes in [0, 1] {
            let text = try failure(of: client) { $0.resumes = resumes }.map { "\($0)" } ?? ""
            XCTAssertTrue(text.hasSuffix("(receiving the response, GET http://a/file, 192.0.2.1:80)"), text)
        }
    }

    func testTheErrorsOfTextAndDecodeNameTheRequestTheAttemptAndTheServer() {
        let head = HTTPResponse(status: .ok, headerFields: [.contentType: "text/plain; charset=ebcdic"])
        let client = client(head, "x")
        for text in [failure(client.get("http://a/b").text()), failure(client.get("http://a/b").decode(Int.self))] {
            XCTAssertTrue(text.hasSuffix("(decoding, GET http://a/b, 192.0.2.1:80)"), text)
        }
        var policy = RetryPolicy(limit: 1, random: { 0 }, secondsSince1970: { 0 })
        policy.statusCodes = [200]
        let again = self.client(head, "x", interceptors: [policy])
        let text = failure(again.get("http://a/b").text())
        XCTAssertTrue(text.hasSuffix("(decoding, GET http://a/b, attempt 2, 192.0.2.1:80)"), text)
    }

    func testTheErrorsOfDecodingARefusedResponseNameTheRequestAndTheServer() throws {
        let client = client(HTTPResponse(status: .notFound), "x")
        let parts = client.bodyParts(try Request(.get, "http://a/file")).asSingle()
        for refusal in [try failure(of: client), error(of: parts) as? HTTPClientError] {
            let text = Self.decodingFailure(of: refusal?.response)
            XCTAssertTrue(text.hasSuffix("(decoding, GET http://a/file, 192.0.2.1:80)"), text)
        }
    }

    func testTheErrorsOfDecodingAResponseInARetrierNameTheRequestTheAttemptAndTheServer() {
        let texts = Locked<[String]>([])
        let client = client(
            HTTPResponse(status: .notFound), "x",
            interceptors: [
                Refuser { response in texts.withLock { $0.append(Self.decodingFailure(of: response)) } }
            ])
        _ = failure(client.get("http://a/b").text())
        XCTAssertEqual(texts.withLock { $0.count }, 2)
        for (text, attempt) in zip(texts.withLock { $0 }, ["", "attempt 2, "]) {
            XCTAssertTrue(text.hasSuffix("(decoding, GET http://a/b, \(attempt)192.0.2.1:80)"), text)
        }
    }

    private struct Refuser: RequestInterceptor {
        let received: @Sendable (Response) -> Void

        func retry(_ attempt: Attempt) -> Single<RetryResult> {
            if case .response(let response) = attempt.outcome { received(response) }
            return .just(attempt.number < 2 ? .retry : .doNotRetry)
        }
    }

    private static func decodingFailure(of response: Response?) -> String {
        do {
            return "\(String(describing: try response?.decoded(Int.self)))"
        } catch {
            return "\(error)"
        }
    }

    func testTheErrorsOfLinesNameTheRequestTheServerAndTheAddressAfterARedirect() throws {
        let head = HTTPResponse(status: .ok, headerFields: [.contentType: "text/plain; charset=ebcdic"])
        func lines(_ path: String, _ head: HTTPResponse) throws -> String {
            failure(
                client(head, "long").lines(try Request(.get, "http://a\(path)"), maximumLength: 3).toArray())
        }
        for head in [head, HTTPResponse(status: .ok)] {
            let text = try lines("/b?key=s3cret", head)
            XCTAssertTrue(text.hasSuffix("(decoding, GET http://a/b, 192.0.2.1:80)"), text)
            let moved = try lines("/moved", head)
            XCTAssertTrue(moved.hasSuffix("(decoding, GET http://a/stored)"), moved)
        }
    }

    func testTheErrorDoesNotNameTheServerOfTheRedirectBefore() {
        let head = HTTPResponse(status: .ok, headerFields: [.contentType: "text/plain; charset=ebcdic"])
        let text = failure(client(head, "x").get("http://a/moved").text())
        XCTAssertTrue(text.hasSuffix("(decoding, GET http://a/stored)"), text)
    }
}
