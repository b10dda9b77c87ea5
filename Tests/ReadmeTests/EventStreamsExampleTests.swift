import Foundation
import Freshet
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Runs the examples of the pages about event streams, and those about language models at a server.
final class EventStreamsExampleTests: ResourceTestCase {
    /// The events that wait in `values` are not processed yet, and must come again after a restart.
    func testAStreamContinuesAfterTheLastEventWhoseWorkIsDone() async throws {
        let first = "retry: 1\nid: 8\ndata: a\n\nid: 9\ndata: b\n\nid: 10\ndata: c\n\n"
        let last = Locked("7")
        let handled = Locked<[String]>([])
        try await withServer { runtime, server in
            server.enqueue(
                stream(first + ": end\n\n").pausing(after: first.utf8.count, until: Barrier()),
                stream("retry: 1\nid: 9\ndata: b\n\n"), ScriptedResponse(status: .noContent))
            func run(failingAt failing: String?) async throws {
                try await EventStreamsExample.process(
                    server.url, after: last.withLock { $0 }, client: runtime.client,
                    handle: { text in
                        guard text != failing else { throw CancellationError() }
                        handled.withLock { $0.append(text) }
                    }, remember: { id in last.withLock { $0 = id } })
            }
            do {
                try await run(failingAt: "b")
                XCTFail("completed")
            } catch is CancellationError {
                XCTAssertEqual(last.withLock { $0 }, "8")
            }
            try await run(failingAt: nil)
            XCTAssertEqual(server.requests.map { $0.headers[.init("Last-Event-ID")!] }, ["7", "8", "9"])
        }
        XCTAssertEqual(handled.withLock { $0 }, ["a", "b"])
        XCTAssertEqual(last.withLock { $0 }, "9")
    }

    func testARestartedProgramContinuesAfterTheLastID() async throws {
        let path = NSTemporaryDirectory() + "freshet-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let shown = Locked<[String]>([])
        try await withServer { runtime, server in
            for id in 1...2 {
                server.enqueue(
                    stream("retry: 1\nid: \(id)\ndata: event \(id)\n\n"), ScriptedResponse(status: .noContent))
                try await EventStreamsExample.follow(server.url, storedAt: path, client: runtime.client) { line in
                    shown.withLock { $0.append(String(line.prefix(12))) }
                }
            }
            XCTAssertEqual(server.requests.map { $0.headers[.init("Last-Event-ID")!] }, [nil, "1", "1", "2"])
        }
        XCTAssertEqual(shown.withLock { $0 }, ["event 1", "reconnecting", "event 2", "reconnecting"])
    }

    private func withServer(_ test: (FreshetRuntime, ScriptedServer) async throws -> Void) async throws {
        let runtime = try FreshetRuntime()
        let server = try ScriptedServer(on: runtime.loop)
        defer {
            server.close()
            runtime.shutdown()
        }
        try await test(runtime, server)
    }

    private func stream(_ body: String) -> ScriptedResponse {
        ScriptedResponse(headers: [.contentType: "text/event-stream; charset=utf-8"], body: body)
    }

    private func texts(_ pieces: Observable<TalkToAnLLM.Piece>) -> Observable<String> {
        pieces.compactMap { if case .text(let text) = $0 { text } else { nil } }
    }

    private static let unnamed = """
        : processing

        data: {"id":"1","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}

        data: {"id":"1","choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}]}

        data: {"id":"1","choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":null}]}

        data: {"id":"1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}

        data: {"id":"1","choices":[],"usage":{"completion_tokens":2,"total_tokens":9}}

        data: [DONE]


        """

    private static let named = """
        event: message_start
        data: {"type":"message_start","message":{"id":"1","role":"assistant","content":[]}}

        event: content_block_start
        data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

        event: ping
        data: {"type":"ping"}

        event: content_block_delta
        data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hel"}}

        event: content_block_delta
        data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"lo"}}

        event: content_block_stop
        data: {"type":"content_block_stop","index":0}

        event: message_delta
        data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}}

        event: message_stop
        data: {"type":"message_stop"}


        """

    private static let overloaded = """
        event: error
        data: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}


        """

    func testAResponseLostBeforeItBeginsIsRequestedAgainAndLaterNot() async throws {
        try await withServer { runtime, server in
            let error = "data: {\"error\":{\"message\":\"m\",\"type\":\"server_error\"}}\n\n"
            server.enqueue(stream(": processing\n\n").reset(after: 5), stream(error), stream(Self.unnamed))
            let question = try Request(.post, server.url, body: .text("{}"))
            let response = texts(TalkToAnLLM().openAI(question, by: runtime.client))
            let text = try await response.toArray().value.joined()
            XCTAssertEqual(text, "Hello")
            XCTAssertEqual(server.requests.map(\.text), ["{}", "{}", "{}"])
            server.enqueue(stream(Self.unnamed).reset(after: 200))
            do {
                _ = try await response.toArray().value
                XCTFail("complete")
            } catch {
                XCTAssertEqual((error as? HTTPClientError)?.code, .connectionLost)
            }
            XCTAssertEqual(server.requests.count, 4)
        }
    }

    func testAnErrorWithinANamedResponseIsDelivered() async throws {
        try await withServer { runtime, server in
            let begun = Self.named.components(separatedBy: "event: content_block_stop")[0]
            server.enqueue(stream(begun + Self.overloaded), stream(Self.overloaded), stream(Self.named))
            let question = try Request(.post, server.url, body: .text("{}"))
            let response = texts(TalkToAnLLM().anthropic(question, by: runtime.client))
            do {
                _ = try await response.toArray().value
                XCTFail("complete")
            } catch {
                let failure = (error as? HTTPClientError)?.underlying as? EventFailure
                XCTAssertEqual(failure?.kind, "overloaded_error")
                XCTAssertEqual(failure?.message, "Overloaded")
            }
            XCTAssertEqual(server.requests.count, 1)
            let text = try await response.toArray().value.joined()
            XCTAssertEqual(text, "Hello")
            XCTAssertEqual(server.requests.count, 3)
        }
    }

    func testAResponseCanHaveCustomErrors() async throws {
        try await withServer { runtime, server in
            server.enqueue(stream("event: refused\ndata: no\n\n"))
            let question = try Request(.post, server.url, body: .text("{}"))
            do {
                let response = TalkToAnLLM().withErrorsOfItsOwn(question, client: runtime.client)
                _ = try await response.asObservable().toArray().value
                XCTFail("complete")
            } catch {
                XCTAssertEqual(((error as? HTTPClientError)?.underlying as? EventFailure)?.message, "no")
            }
        }
    }

    func testJSONLinesAreReadAndWritten() async throws {
        try await withServer { runtime, server in
            let lines = "{\"name\":\"a\",\"value\":1}\r\nnonsense\n\n{\"name\":\"b\",\"value\":2.5}"
            server.enqueue(
                ScriptedResponse(headers: [.contentType: "application/x-ndjson"], body: lines), ScriptedResponse())
            let bad = Locked<[Int]>([])
            let readings = EventStreamsExample.readings(try Request(.get, server.url), client: runtime.client) {
                line, _ in
                bad.withLock { $0.append(line) }
            }
            let response = try await EventStreamsExample.store(readings, at: server.url, client: runtime.client).value
            XCTAssertEqual(response.status, .ok)
            XCTAssertEqual(bad.withLock { $0 }, [2])
            let stored = try XCTUnwrap(server.requests.last)
            XCTAssertEqual(stored.headers[.contentType], "application/x-ndjson")
            let names = try await Observable.just(Array(stored.text.utf8)).jsonLines(
                of: EventStreamsExample.Reading.self
            )
            .toArray().value.map(\.value?.name)
            XCTAssertEqual(names, ["a", "b"])
        }
    }
}
