import Freshet
import FreshetHTTPTesting
import FreshetTesting
import XCTest

/// Runs the examples of the page from recorded responses.
final class TalkToAnLLMTests: ResourceTestCase {
    private typealias Piece = TalkToAnLLM.Piece
    private let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)

    private func events(
        _ provider: String, _ question: Request,
        _ pieces: (Request, HTTPClient) -> Observable<Piece>
    ) throws -> [Recorded<Event<Piece>>] {
        let client = try HTTPClient.recorded(at: "Tests/ReadmeTests/Recordings/\(provider).har", scheduler: scheduler)
        let observer = scheduler.createObserver(Piece.self)
        let subscription = pieces(question, client).subscribe(observer)
        scheduler.start()
        subscription.dispose()
        return observer.events
    }

    func testNamedEventsEndWithTheirLastType() throws {
        XCTAssertEqual(
            try events("anthropic", TalkToAnLLM().message("What is a freshet?"), TalkToAnLLM().anthropic),
            [
                .next(90, .text("A flood")), .next(240, .text(" of fresh water.")), .next(250, .tokens(8)),
                .completed(251),
            ])
    }

    func testAnErrorUnderStatus200EndsTheStream() throws {
        let events = try events("anthropic", TalkToAnLLM().message("What is a flood?"), TalkToAnLLM().anthropic)
        XCTAssertEqual(events.first, .next(90, .text("Water")))
        XCTAssertEqual(events.count, 2)
        XCTAssertEqual(events.last?.time, 5000)
        let error = events.last?.value.error as? HTTPClientError
        XCTAssertEqual(error?.code, .status)
        XCTAssertEqual((error?.underlying as? EventFailure)?.kind, "overloaded_error")
    }

    func testAResponseWithoutALastEventEndsWithItsBody() throws {
        XCTAssertEqual(
            try events("gemini", TalkToAnLLM().generation("What is a freshet?"), TalkToAnLLM().gemini),
            [
                .next(0, .text("A flood")), .next(400, .text(" of fresh water.")), .next(400, .tokens(6)),
                .completed(400),
            ])
    }

    func testEachPieceOfAResponseIsShown() async throws {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let client = try HTTPClient.recorded(at: "Tests/ReadmeTests/Recordings/openai.har", scheduler: scheduler)
        let shown = Locked("")
        try await advancing(scheduler) {
            try await TalkToAnLLM().ask("What is a freshet?", by: client) { text in shown.withLock { $0 += text } }
        }
        XCTAssertEqual(shown.withLock { $0 }, "A flood of fresh water.\n7 tokens\n")
    }

    func testAKeyIsSentToItsProviderOnly() throws {
        let transport = StubTransport()
        transport.route { _ in ScriptedResponse() }
        let client = try TalkToAnLLM().authorized(
            HTTPClient(transport: transport, scheduler: scheduler), key: "k")
        _ = try client.get("https://api.openai.com/v1/models").toBlocking().single()
        _ = try client.get("https://other.example/").toBlocking().single()
        XCTAssertEqual(transport.requests.map(\.bearerToken), ["k", nil])
    }
}
