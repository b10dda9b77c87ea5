import Foundation
import Freshet
import FreshetHTTPTesting
import FreshetTesting
import XCTest

/// The examples of the page of this name.
struct TalkToAnLLM: Sendable {
    enum Piece: Equatable, Sendable {
        case text(String)
        /// How many tokens the response has.
        case tokens(Int)
    }

    let snakeCase: JSONDecoder = {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return decoder
    }()

    func authorized(_ client: HTTPClient, key: String) throws -> HTTPClient {
        let key = try FixedCredential.bearer(key, origins: [Origin("https://api.openai.com")])
        return client.with(interceptors: [key] + client.interceptors)
    }

    func ask(_ question: String, by client: HTTPClient, show: (String) -> Void) async throws {
        for try await piece in openAI(try completion(question), by: client).values {
            switch piece {
            case .text(let text): show(text)
            case .tokens(let count): show("\n\(count) tokens\n")
            }
        }
    }

    func completion(_ question: String) throws -> Request {
        let body: JSONValue = [
            "model": "gpt-5-mini", "stream": true, "stream_options": ["include_usage": true],
            "messages": [["role": "user", "content": .string(question)]],
        ]
        return try Request(.post, "https://api.openai.com/v1/chat/completions", body: .json(body))
    }

    struct Completion: Decodable, Sendable {
        struct Choice: Decodable, Sendable {
            struct Delta: Decodable, Sendable { var content: String? }
            var delta: Delta
        }
        struct Usage: Decodable, Sendable { var completionTokens: Int }
        var choices: [Choice]
        var usage: Usage?
    }

    func openAI(_ question: Request, by client: HTTPClient) -> Observable<Piece> {
        EventSource(question, by: client, settings: .response(terminator: "[DONE]"))
            .decode(Completion.self, using: snakeCase)
            .compactMap { chunk in
                if let usage = chunk.usage { return .tokens(usage.completionTokens) }
                return chunk.choices.first?.delta.content.map { .text($0) }
            }
    }

    func message(_ question: String) throws -> Request {
        let body: JSONValue = [
            "model": "claude-sonnet-4-5", "stream": true, "max_tokens": 256,
            "messages": [["role": "user", "content": .string(question)]],
        ]
        let version = try HTTPFields(named: ["anthropic-version": "2023-06-01"])
        return try Request(.post, "https://api.anthropic.com/v1/messages", headers: version, body: .json(body))
    }

    struct MessageEvent: Decodable, Sendable {
        struct Delta: Decodable, Sendable { var text: String? }
        struct Usage: Decodable, Sendable { var outputTokens: Int }
        var delta: Delta?
        var usage: Usage?
    }

    func anthropic(_ question: Request, by client: HTTPClient) -> Observable<Piece> {
        EventSource(question, by: client, settings: .response(lastTypes: ["message_stop"]))
            .decode(MessageEvent.self, using: snakeCase)
            .compactMap { event in
                if let usage = event.usage { return .tokens(usage.outputTokens) }
                return event.delta?.text.map { .text($0) }
            }
    }

    func generation(_ question: String) throws -> Request {
        let body: JSONValue = ["contents": [["parts": [["text": .string(question)]]]]]
        let models = "https://generativelanguage.googleapis.com/v1beta/models"
        return try Request(
            .post, "\(models)/gemini-2.5-flash:streamGenerateContent?alt=sse", body: .json(body))
    }

    struct Generation: Decodable, Sendable {
        struct Candidate: Decodable, Sendable {
            struct Content: Decodable, Sendable { var parts: [Part]? }
            struct Part: Decodable, Sendable { var text: String? }
            var content: Content?
            var finishReason: String?
        }
        struct Usage: Decodable, Sendable { var candidatesTokenCount: Int? }
        var candidates: [Candidate]?
        var usageMetadata: Usage?
    }

    func gemini(_ question: Request, by client: HTTPClient) -> Observable<Piece> {
        EventSource(question, by: client, settings: .response())
            .decode(Generation.self)
            .concatMap { chunk in
                let candidate = chunk.candidates?.first
                let texts = candidate?.content?.parts?.compactMap(\.text).map(Piece.text) ?? []
                let isLast = candidate?.finishReason != nil
                let tokens = isLast ? [Piece.tokens(chunk.usageMetadata?.candidatesTokenCount ?? 0)] : []
                return Observable.from(texts + tokens)
            }
    }

    func withErrorsOfItsOwn(_ question: Request, client: HTTPClient) -> EventSource {
        var settings = EventSource.Settings.response(terminator: "[DONE]")
        settings.failure = { event in
            event.type == "refused" ? EventFailure(kind: "refused", message: event.data, event: event).clientError : nil
        }
        settings.idleTimeout = .seconds(30)
        return EventSource(question, by: client, settings: settings)
    }
}

/// The recorded responses of the page.
final class TalkToAnLLMFromRecordings: ResourceTestCase {
    private typealias Piece = TalkToAnLLM.Piece

    private func openAI(_ question: Request, by client: HTTPClient) -> Observable<Piece> {
        TalkToAnLLM().openAI(question, by: client)
    }

    private func completion(_ question: String) throws -> Request { try TalkToAnLLM().completion(question) }

    func testThePiecesArriveAtTheRecordedTimes() throws {
        let path = "Tests/ReadmeTests/Recordings/openai.har"
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let client = try HTTPClient.recorded(at: path, scheduler: scheduler)

        let observer = scheduler.createObserver(Piece.self)
        _ = openAI(try completion("What is a freshet?"), by: client).subscribe(observer)
        scheduler.start()

        XCTAssertEqual(
            observer.events,
            [
                .next(0, .text("")), .next(120, .text("A flood")), .next(310, .text(" of fresh water.")),
                .next(320, .tokens(7)), .completed(321),
            ])
    }
}
