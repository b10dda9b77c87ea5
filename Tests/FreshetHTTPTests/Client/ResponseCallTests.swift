import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

final class ResponseCallTests: StubbedTestCase {
    private func client(maximumBodySize: Int = .max) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        configuration.maximumBodySize = maximumBodySize
        return HTTPClient(transport: transport, scheduler: scheduler, configuration: configuration)
    }

    /// The events that a subscriber receives that disposes its subscription after `count` responses.
    private func log(_ response: Single<Response>, leavingAfter count: Int = .max) -> [String] {
        let log = Locked<[String]>([])
        let subscription = SingleAssignmentDisposable()
        subscription.setDisposable(
            response.asObservable().subscribe { event in
                let line =
                    switch event {
                    case .next(let response): "\(response.status.code) \(response.text)"
                    case .error(let error as HTTPClientError):
                        "\(error.code.rawValue) \(error.response?.text ?? "")"
                    case .error: "error"
                    case .completed: "completed"
                    }
                log.withLock { $0.append(line) }
                if log.withLock({ $0.count }) == count { subscription.dispose() }
            })
        scheduler.start()
        subscription.dispose()
        return log.withLock { $0 }
    }

    func testAResponseInPiecesIsOneElement() {
        transport.enqueue(ScriptedResponse(pieces: [[97], [98], [99]]).pausing(.seconds(1)))
        XCTAssertEqual(log(client().get("http://a/")), ["200 abc", "completed"])
    }

    func testASubscriberThatDisposesAtTheResponseReceivesNoCompletion() {
        transport.enqueue(ScriptedResponse(pieces: [[97], [98]]).pausing(.seconds(1)))
        XCTAssertEqual(log(client().get("http://a/"), leavingAfter: 1), ["200 ab"])
        XCTAssertEqual(transport.abandoned.count, 0)
    }

    func testDisposingBeforeTheResponseEndsTheTransfer() {
        transport.enqueue(ScriptedResponse(pieces: [[97], [98]]).pausing(.seconds(10)))
        let subscription = client().get("http://a/").subscribe { _ in XCTFail("there is no response") }
        scheduler.advanceTo(5_000)
        subscription.dispose()
        scheduler.start()
        XCTAssertEqual(transport.abandoned.count, 1)
    }

    func testABodyOverTheLimitEndsTheTransferAtOnce() {
        transport.enqueue(ScriptedResponse(pieces: [[97, 97], [98, 98], [99]]).pausing(.seconds(1)))
        XCTAssertEqual(log(client(maximumBodySize: 3).get("http://a/")), ["too_large "])
        XCTAssertEqual(transport.abandoned.count, 1)
    }

    func testOfTwoValidationsBothHaveToAcceptTheStatus() {
        transport.route { _ in ScriptedResponse(status: .notFound, body: "gone") }
        let response = client().get("http://a/")
        XCTAssertEqual(log(response.validate().validate(statusCodes: 400..<500)), ["status gone"])
        XCTAssertEqual(log(response.validate(statusCodes: 400..<500).validate()), ["status gone"])
        XCTAssertEqual(log(response.validate(statusCodes: [200, 404])), ["404 gone", "completed"])
        XCTAssertEqual(log(response), ["404 gone", "completed"])
    }

    func testResponsesFromOtherSourcesAreValidatedToo() {
        let response = Single.just(Response(head: HTTPResponse(status: .notFound), url: try! RequestURL("http://a/")))
        XCTAssertEqual(log(response.validate()), ["status "])
        XCTAssertEqual(log(response.validate(statusCodes: [404])), ["404 ", "completed"])
    }

    func testPausingTheSubscriptionPausesTheTransfer() {
        transport.enqueue(ScriptedResponse(pieces: [[97], [98], [99], [100]]).pausing(.seconds(1)))
        let log = Locked<[String]>([])
        let subscription = client().get("http://a/").subscribe { result in
            log.withLock { $0.append((try? result.get().text) ?? "failed") }
        }
        scheduler.advanceTo(500)
        (subscription as? any Pausable)?.pause()
        scheduler.advanceTo(30_000)
        XCTAssertEqual(log.withLock { $0 }, [])
        (subscription as? any Pausable)?.resume()
        scheduler.start()
        XCTAssertEqual(log.withLock { $0 }, ["abcd"])
        subscription.dispose()
    }

    func testTheErrorOfALargeBodyNamesTheOriginThatSentIt() {
        transport.enqueue(
            ScriptedResponse(status: 302, headers: [.location: "http://b/final"]), ScriptedResponse(body: "abcd"))
        let failure = Locked<(any Error)?>(nil)
        let subscription = client(maximumBodySize: 3).get("http://a/")
            .subscribe(onFailure: { error in failure.withLock { $0 = error } })
        scheduler.start()
        subscription.dispose()
        let text = failure.withLock { $0 }.map { "\($0)" } ?? ""
        XCTAssertTrue(text.hasSuffix("(receiving the response, GET http://b/final)"), text)
    }

    func testADecodingErrorNamesTheMethodThatARedirectHasMade() {
        transport.enqueue(
            ScriptedResponse(status: 303, headers: [.location: "http://b/final"]), ScriptedResponse(body: "x"))
        let failure = Locked<(any Error)?>(nil)
        let subscription = client().post("http://a/", body: .text("x")).decode(Int.self)
            .subscribe(onFailure: { error in failure.withLock { $0 = error } })
        scheduler.start()
        subscription.dispose()
        XCTAssertEqual((failure.withLock { $0 } as? HTTPClientError)?.method, .get)
    }

    func testTheLengthInAStoredResponseToAHEADIsNoBody() {
        let transport = ObservableTransport(unprepared: { _, _ in
            .of(
                .phase(.cache(.hit(age: 1))),
                .head(HTTPResponse(status: .ok, headerFields: [.contentLength: "1000"])))
        })
        var configuration = HTTPClient.Configuration()
        configuration.maximumBodySize = 10
        let client = HTTPClient(transport: transport, scheduler: scheduler, configuration: configuration)
        XCTAssertEqual(log(client.head("http://a/")), ["200 ", "completed"])
        XCTAssertEqual(log(client.get("http://a/")), ["too_large "])
    }
}
