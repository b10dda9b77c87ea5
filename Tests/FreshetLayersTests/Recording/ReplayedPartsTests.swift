import Foundation
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

@testable import FreshetLayers

/// Tests that a replay delivers all that its client can see of a response.
final class ReplayedPartsTests: RecordingTestCase {
    private let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)

    /// What a request to a server with one response sees: heads, trailers, and the error.
    private func parts(_ mode: HTTPRecording.Mode, _ response: ScriptedResponse) throws -> (
        heads: [HTTPResponse], trailers: HTTPFields, error: HTTPClientError?
    ) {
        let server = StubTransport(scheduler: scheduler)
        server.enqueue(response)
        let recording = try HTTPRecording(
            at: path, mode: mode, scheduler: scheduler, secondsSince1970: { 784_111_777 })
        let client = HTTPClient(transport: server, scheduler: scheduler, layers: [recording])
        let seen = Locked<(heads: [HTTPResponse], trailers: HTTPFields, error: HTTPClientError?)>(([], [:], nil))
        let subscription = client.events(try Request(.post, "https://api.example/a")).subscribe(
            onNext: { event in
                switch event {
                case .informational(let head): seen.withLock { $0.heads.append(head) }
                case .head(let head, _): seen.withLock { $0.heads.append(head) }
                case .trailers(let fields): seen.withLock { $0.trailers = fields }
                default: break
                }
            }, onError: { error in seen.withLock { $0.error = error as? HTTPClientError } })
        scheduler.advanceBy(1000)
        subscription.dispose()
        return seen.withLock { $0 }
    }

    func testAFailureKeepsItsPhaseAndWhetherTheRequestWasSent() throws {
        for (phase, isUnsent) in [(HTTPClientError.Phase.connecting, true), (.sending, false)] {
            let response = ScriptedResponse.failure(.connect, in: phase, isUnsent: isUnsent)
            for mode in [HTTPRecording.Mode.record, .replay] {
                let error = try XCTUnwrap(try parts(mode, response).error)
                XCTAssertEqual(error.code, .connect, "\(mode)")
                XCTAssertEqual(error.phase, phase, "\(mode)")
                XCTAssertEqual(error.isUnsent, isUnsent, "\(mode)")
            }
        }
    }

    func testInterimResponsesAndTrailersAreKeptWithoutTheirSecrets() throws {
        let cookie = try XCTUnwrap(HTTPField.Name("Set-Cookie"))
        let digest = try XCTUnwrap(HTTPField.Name("Content-Digest"))
        let response = ScriptedResponse(body: "body").withTrailers([digest: "1", cookie: "s=secret"])
            .preceded(by: .init(code: 103, reasonPhrase: "Early Hints"), headers: [digest: "2", cookie: "s=secret"])
        XCTAssertEqual(try parts(.record, response).heads.map(\.status.code), [103, 200])
        let replayed = try parts(.replay, response)
        XCTAssertEqual(replayed.heads.map(\.status.code), [103, 200])
        XCTAssertEqual(replayed.heads.first?.headerFields[digest], "2")
        XCTAssertEqual(replayed.trailers[digest], "1")
        XCTAssertFalse(try String(contentsOfFile: path, encoding: .utf8).contains("secret"))
    }
}
