import FreshetCore
import FreshetEvents
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests requests that may be sent only once.
final class OneShotTests: EventSourceTestCase {
    private func runRequest() throws -> [String] {
        var request = try Request(.post, "http://a/", body: .text("q"))
        request.isOneShot = true
        return try bench.run(request)
    }

    func testAOneShotRequestIsNotSentAgainAfterItsResponse() throws {
        bench.transport.enqueue(.events("id: 1\ndata: a\n\n"), .endless())
        XCTAssertEqual(try runRequest().suffix(3), ["0 1:a", "0 closed", "0 completed"])
        XCTAssertEqual(bench.transport.requestCount, 1)
    }

    func testAOneShotRequestIsNotSentAgainAfterAFailureThatMayHaveReachedTheServer() throws {
        bench.transport.enqueue(.reset, .endless())
        XCTAssertEqual(try runRequest().suffix(2), ["0 closed", "0 error connection_lost"])
        XCTAssertEqual(bench.transport.requestCount, 1)
    }

    func testAnUnsentOneShotRequestIsRetried() throws {
        bench.transport.enqueue(.failure(.connect, in: .connecting, isUnsent: true), .events("data: a\n\n"))
        XCTAssertEqual(try runRequest().suffix(3), ["3000 a", "3000 closed", "3000 completed"])
        XCTAssertEqual(bench.transport.requestCount, 2)
    }

    func testAOneShotRequestThatWasRedirectedToADeadAddressIsNotSentAgain() throws {
        bench.transport.enqueue(
            ScriptedResponse(status: .seeOther, headers: [.location: "http://b/"]),
            .failure(.connect, in: .connecting, isUnsent: true), .endless())
        XCTAssertEqual(try runRequest().suffix(2), ["0 closed", "0 error connect"])
        XCTAssertEqual(bench.transport.requestCount, 2, "the request and its redirect")
    }

    /// The stream asks again for what it has lost, so its error is that of several requests.
    func testTheErrorOfAStreamSaysThatNothingWasSentOnlyIfThatIsSoForAllConnections() throws {
        let dead = ScriptedResponse.failure(.connect, in: .connecting, isUnsent: true)
        for (first, isUnsent) in [(ScriptedResponse.reset, false), (.silence, false), (.events(), false), (dead, true)]
        {
            bench = EventSourceBench()
            bench.settings.retryLimit = 1
            bench.configuration.timeout = .seconds(5)
            bench.transport.enqueue(first, dead, dead)
            let error = Locked<HTTPClientError?>(nil)
            let subscription = try bench.source().subscribe(
                onError: { failure in error.withLock { $0 = failure as? HTTPClientError } })
            bench.scheduler.start()
            subscription.dispose()
            XCTAssertEqual(error.withLock { $0?.code }, .connect)
            XCTAssertEqual(error.withLock { $0?.isUnsent }, isUnsent)
        }
    }
}
