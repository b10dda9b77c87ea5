import Foundation
import FreshetCore
import FreshetCurl
import FreshetHTTP
import FreshetHTTPTesting
import FreshetLoop
import HTTPTypes
import XCTest

/// Tests which phase the error of a timeout names.
final class TimeoutPhaseTests: FaultTestCase {
    private func phase(sending body: RequestBody, answeredBy response: ScriptedResponse) throws -> HTTPClientError
        .Phase?
    {
        let transport = transport()
        defer { transport.shutdown() }
        server.enqueue(response)
        let client = HTTPClient(transport: transport, scheduler: LoopScheduler(loop))
        var request = try Request(.post, server.url + "/", body: body)
        request.timeout = .seconds(1)
        let error = Locked<HTTPClientError?>(nil)
        let done = expectation(description: "done")
        let subscription = client.send(request).subscribe { result in
            if case .failure(let failure) = result { error.withLock { $0 = failure as? HTTPClientError } }
            done.fulfill()
        }
        wait(for: [done], timeout: 10)
        subscription.dispose()
        XCTAssertEqual(error.withLock { $0?.code }, .timeout)
        return error.withLock { $0?.phase }
    }

    func testATimeoutAfterTheWholeRequestIsInThePhaseWaiting() throws {
        let pieces = Observable.from(Array(repeating: [UInt8](repeating: 1, count: 10_000), count: 20))
        for body in [RequestBody.empty, .text("x"), .stream(pieces, length: 200_000), .stream(pieces)] {
            XCTAssertEqual(try phase(sending: body, answeredBy: .silence), .waiting)
        }
    }

    func testATimeoutDuringTheUploadIsInThePhaseSending() throws {
        let slow = Observable<Int>.interval(.milliseconds(10), scheduler: LoopScheduler(loop)).map { _ in [UInt8(1)] }
        XCTAssertEqual(try phase(sending: .stream(slow), answeredBy: .silence), .sending)
    }

    func testATimeoutAfterAPartialResponseIsInThePhaseReceiving() throws {
        let cut = ScriptedResponse.raw("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel", then: .silence)
        XCTAssertEqual(try phase(sending: .text("x"), answeredBy: cut), .receiving)
    }
}
