import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetLoop
import HTTPTypes
import XCTest

@testable import FreshetCurl

/// Tests requests with a proof for one sending whose kept connection ends.
final class NewAttemptOnALostConnectionTests: TransportOnScriptedServerTestCase {
    private struct Proof: RequestInterceptor {
        static let name = HTTPField.Name("X-Proof")!
        let count = Locked(0)

        func adapt(_ request: inout Request) -> Adaptation {
            request.headers[Self.name] = count.withLock { count in
                count += 1
                return "\(count)"
            }
            request.isResendable = false
            return .ready
        }
    }

    private func result(_ single: Single<Response>) throws -> Response {
        let result = Locked<Result<Response, any Error>?>(nil)
        let subscription = single.subscribe { ending in result.withLock { $0 = ending } }
        defer { subscription.dispose() }
        waitUntil("the request has ended") { result.withLock { $0 != nil } }
        return try XCTUnwrap(result.withLock { $0 }).get()
    }

    func testAnIdempotentRequestOnADeadConnectionIsSentAgainWithANewProof() throws {
        let client = HTTPClient(transport: transport(), scheduler: LoopScheduler(loop), interceptors: [Proof()])
        server.enqueue(ScriptedResponse(body: "one"), .close, ScriptedResponse(body: "two"))
        XCTAssertEqual(try result(client.get(server.url)).text, "one")
        XCTAssertEqual(try result(client.get(server.url)).text, "two")
        XCTAssertEqual(server.requests.map { $0.headers[Proof.name] }, ["1", "2", "3"])
        server.enqueue(.close)
        XCTAssertThrowsError(try result(client.post(server.url, body: .text("order")))) { error in
            XCTAssertEqual((error as? HTTPClientError)?.code, .connectionLost)
        }
        XCTAssertEqual(server.requestCount, 4, "the server may have processed the POST")
    }
}
