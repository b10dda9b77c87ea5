import FoundationEssentials
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

final class ValidateTests: StubbedTestCase {
    private func log(_ make: (Observable<RequestEvent>) -> Observable<RequestEvent>) throws -> [String] {
        let client = HTTPClient(transport: transport, scheduler: scheduler)
        let log = Locked<[String]>([])
        let subscription = make(client.events(try Request(.get, "http://a/"))).subscribe { event in
            let line: String? =
                switch event {
                case .next(.head(let head, _)): "head \(head.status.code)"
                case .next(.body): "body"
                case .next: nil
                case .error(let error as HTTPClientError):
                    "\(error.code.rawValue) \(error.response.map { "\($0.status.code)" } ?? "")"
                case .error: "error"
                case .completed: "completed"
                }
            if let line { log.withLock { $0.append(line) } }
        }
        scheduler.start()
        subscription.dispose()
        return log.withLock { $0 }
    }

    func testAnUnacceptedStatusIsAnErrorAtTheHeadAndEndsTheTransfer() throws {
        transport.enqueue(ScriptedResponse(status: .notFound, pieces: [[97], [98]]).pausing(.seconds(1)))
        XCTAssertEqual(try log { $0.validate(statusCodes: 200..<300) }, ["status 404"])
        XCTAssertEqual(transport.abandoned.count, 1)
    }

    private struct Refusal: Error, Decodable, Equatable { var reason: String }

    func testTheErrorOfTheAPIIsReadAfterAnyOperator() throws {
        transport.route { _ in ScriptedResponse(status: 422, body: #"{"reason":"no"}"#) }
        var configuration = HTTPClient.Configuration()
        configuration.failure = Refusal.self
        let client = HTTPClient(transport: transport, scheduler: scheduler, configuration: configuration)
        let upload = client.upload(try Request(.put, "http://a/", body: .text("x"))) { _ in }
        for response in [upload, client.get("http://a/").map { $0 }] {
            let failure = Locked<(any Error)?>(nil)
            let subscription = response.validate().subscribe(onFailure: { error in failure.withLock { $0 = error } })
            scheduler.start()
            subscription.dispose()
            let underlying = (failure.withLock { $0 } as? HTTPClientError)?.underlying
            XCTAssertEqual(underlying as? Refusal, Refusal(reason: "no"))
        }
    }

    func testARefusedResponseOfALongLivedClientIsAnErrorAtTheHead() throws {
        transport.enqueue(ScriptedResponse(status: 500, pieces: [[97], [98]]).pausing(.seconds(1000)))
        var configuration = HTTPClient.Configuration()
        configuration.transfer.isLongLived = true
        let client = HTTPClient(transport: transport, scheduler: scheduler, configuration: configuration)
        let failed = Locked(false)
        let subscription = client.bodyParts(try Request(.get, "http://a/"))
            .subscribe(onError: { _ in failed.withLock { $0 = true } })
        scheduler.advanceTo(10)
        XCTAssertTrue(failed.withLock { $0 })
        subscription.dispose()
        scheduler.start()
    }

    func testAnAcceptedStatusIsDelivered() throws {
        transport.route { _ in ScriptedResponse(status: .notFound, body: "x") }
        XCTAssertEqual(try log { $0.validate(statusCodes: [200, 404]) }, ["head 404", "body", "completed"])
        XCTAssertEqual(try log { $0.validate(statusCodes: 400..<500) }, ["head 404", "body", "completed"])
        XCTAssertEqual(try log { $0 }, ["head 404", "body", "completed"])
    }

    func testTwoValidationsBothHaveToAcceptTheStatus() throws {
        transport.route { _ in ScriptedResponse(status: .notFound, body: "x") }
        XCTAssertEqual(
            try log { $0.validate(statusCodes: 200..<300).validate(statusCodes: 400..<500) }, ["status 404"])
        XCTAssertEqual(
            try log { $0.validate(statusCodes: 400..<500).validate(statusCodes: [200]) }, ["status 404"])
        XCTAssertEqual(
            try log { $0.validate(statusCodes: 200..<500).validate(statusCodes: [404]) },
            ["head 404", "body", "completed"])
    }

    func testValidatingDoesNotChangeTheOriginalStream() throws {
        transport.route { _ in ScriptedResponse(status: .notFound, body: "x") }
        let stricter = try log { events in
            let stricter = events.validate(statusCodes: 200..<300)
            return withExtendedLifetime(events) { stricter }
        }
        XCTAssertEqual(stricter, ["status 404"])
        XCTAssertEqual(
            try log { events in
                _ = events.validate(statusCodes: 200..<300)
                return events
            }, ["head 404", "body", "completed"])
    }

    func testValidatingAfterAnOperatorWorksAsAnOperator() throws {
        transport.route { _ in ScriptedResponse(status: .notFound, body: "x") }
        XCTAssertEqual(try log { $0.map { $0 }.validate(statusCodes: 200..<300) }, ["status 404"])
        XCTAssertEqual(
            try log { $0.map { $0 }.validate(statusCodes: 400...404) }, ["head 404", "body", "completed"])
    }

    func testTheErrorNamesTheRequestAfterAnyOperator() throws {
        transport.route { _ in ScriptedResponse(status: 422) }
        let client = HTTPClient(transport: transport, scheduler: scheduler)
        let upload = client.upload(try Request(.put, "http://a/b", body: .text("x"))) { _ in }
        for response in [upload, upload.map { $0 }, client.put("http://a/b", body: .text("x")).map { $0 }] {
            let failure = Locked<(any Error)?>(nil)
            let subscription = response.validate().subscribe(onFailure: { error in failure.withLock { $0 = error } })
            scheduler.start()
            subscription.dispose()
            let text = failure.withLock { $0 }.map { "\($0)" } ?? ""
            XCTAssertTrue(text.contains("PUT http://a/b"), text)
        }
    }

    private struct Problem: Decodable { var errorCode: Int }

    /// Reads the error code of each response.
    private struct CodeReader: RequestInterceptor {
        let codes = Locked<[Int]>([])

        func retry(_ attempt: Attempt) -> Single<RetryResult> {
            if case .response(let response) = attempt.outcome, let code = try? response.decoded(Problem.self).errorCode
            {
                codes.withLock { $0.append(code) }
            }
            return .just(.doNotRetry)
        }
    }

    func testAResponseThatARetrierSeesIsDecodedByTheDecoderOfTheClient() throws {
        transport.route { _ in ScriptedResponse(status: 422, body: #"{"error_code":7}"#) }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        var configuration = HTTPClient.Configuration()
        configuration.decoder = decoder
        let reader = CodeReader()
        let client = HTTPClient(
            transport: transport, scheduler: scheduler, interceptors: [reader], configuration: configuration)
        let subscription = client.get("http://a/").subscribe { _ in }
        scheduler.start()
        subscription.dispose()
        XCTAssertEqual(reader.codes.withLock { $0 }, [7])
    }
}
