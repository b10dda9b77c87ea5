import Foundation
import FreshetCore
import FreshetCurl
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// A test of the effect of a faulty server on a request, and on the one after it.
class FaultTestCase: TransportOnScriptedServerTestCase {
    /// Sends a request that gets `response`, and checks that the next request succeeds on another connection.
    ///
    /// - Parameters:
    ///   - code: the expected error; `nil` if the response must arrive.
    ///   - phase: `nil` if it depends on how the bytes arrive.
    ///   - isReused: whether the next request uses the same connection; `nil` if that depends.
    ///   - sendings: how often the server gets the request.
    /// - Returns: the outcome of the first request.
    @discardableResult
    func hit(
        by response: ScriptedResponse, _ code: HTTPClientError.Code?, _ phase: HTTPClientError.Phase? = .receiving,
        method: HTTPRequest.Method = .get, body: RequestBody = .empty, sendings: Int = 1, isReused: Bool? = false,
        _ note: String = "", file: StaticString = #filePath, line: UInt = #line,
        options: (inout TransferOptions) -> Void = { $0.idleTimeout = .seconds(5) }
    ) throws -> Outcome {
        let transport = transport()
        let before = server.requestCount
        for _ in 0..<sendings { server.enqueue(response) }
        let outcome = try outcome(transport, server.url + "/hit", method: method, body: body, options: options)
        assert(outcome, code, phase, note, file: file, line: line)
        XCTAssertEqual(server.requestCount - before, sendings, "sendings, \(note)", file: file, line: line)
        try assertTheNextIsWell(transport, isReused: isReused, note, file: file, line: line)
        transport.shutdown()
        return outcome
    }

    @discardableResult
    func hit(
        by response: ScriptedResponse, _ code: HTTPClientError.Code?, _ note: String, isReused: Bool? = false,
        file: StaticString = #filePath, line: UInt = #line
    ) throws -> Outcome {
        try hit(by: response, code, .receiving, isReused: isReused, note, file: file, line: line)
    }

    func assert(
        _ outcome: Outcome, _ code: HTTPClientError.Code?, _ phase: HTTPClientError.Phase?, _ note: String = "",
        file: StaticString = #filePath, line: UInt = #line
    ) {
        XCTAssertEqual(outcome.error?.code, code, note, file: file, line: line)
        guard let error = outcome.error else { return }
        XCTAssertFalse(outcome.isCompleted, file: file, line: line)
        if let phase { XCTAssertEqual(error.phase, phase, note, file: file, line: line) }
        XCTAssertTrue(error.origin.hasPrefix("http"), note, file: file, line: line)
        XCTAssertNotNil(error.recoverySuggestion, error.message, file: file, line: line)
    }

    /// Sends a POST, which must not be sent twice, so that it fails if its connection is unusable.
    func assertTheNextIsWell(
        _ transport: CurlTransport, isReused: Bool? = false, _ note: String = "", file: StaticString = #filePath,
        line: UInt = #line
    ) throws {
        server.enqueue(ScriptedResponse(body: "well"))
        let next = try outcome(transport, server.url + "/next", method: .post)
        XCTAssertNil(next.error, note, file: file, line: line)
        XCTAssertEqual(next.text, "well", note, file: file, line: line)
        guard let isReused else { return }
        XCTAssertEqual(next.reuses, [isReused], "reused, \(note)", file: file, line: line)
    }
}
