import Freshet

/// The examples of the page about event streams.
enum EventStreamsExample {
    static func texts(
        from api: String, after stored: String, client: HTTPClient, remember: @escaping @Sendable (String) -> Void
    ) throws -> Observable<String> {
        let request = try Request(.get, "\(api)/events")
        let texts = EventSource(request, by: client, after: stored)
            .do(onNext: { event in remember(event.id) })
            .map(\.data)
        return texts
    }

    /// A piece of an answer whose events have no names.
    struct Piece: Decodable, Sendable {
        struct Choice: Decodable, Sendable {
            struct Delta: Decodable, Sendable { var content: String? }
            var delta: Delta
        }
        var choices: [Choice]
    }

    static func unnamedResponse(to question: Request, client: HTTPClient) -> Observable<String> {
        let pieces = EventSource(question, by: client, settings: .response(terminator: "[DONE]"))
            .decode(Piece.self)
            .compactMap { $0.choices.first?.delta.content }
        return pieces
    }

    /// A piece of an answer whose events have names.
    struct Block: Decodable, Sendable {
        struct Delta: Decodable, Sendable { var text: String }
        var delta: Delta
    }

    static func namedResponse(to question: Request, client: HTTPClient) -> Observable<String> {
        let texts = EventSource(question, by: client, settings: .response(lastTypes: ["message_stop"]))
            .filter { $0.type == "content_block_delta" }
            .decode(Block.self)
            .map(\.delta.text)
        return texts
    }

    static func answerWithErrorsOfItsOwn(to question: Request, client: HTTPClient) -> EventSource {
        var settings = EventSource.Settings.response(terminator: "[DONE]")
        settings.failure = { event in
            event.type == "refused" ? EventFailure(kind: "refused", message: event.data, event: event).clientError : nil
        }
        settings.idleTimeout = .seconds(30)
        return EventSource(question, by: client, settings: settings)
    }

    struct Reading: Codable, Sendable {
        var name: String
        var value: Double
    }

    static func readings(
        _ request: Request, client: HTTPClient, report: @escaping @Sendable (Int, HTTPClientError) -> Void
    ) -> Observable<Reading> {
        let readings = client.events(request).validate(statusCodes: 200..<300).jsonLines(of: Reading.self)
        let good = readings.compactMap { line in
            if let error = line.error { report(line.number, error) }
            return line.value
        }
        return good
    }

    static func store(_ readings: Observable<Reading>, at api: String, client: HTTPClient) -> Single<Response> {
        let body = RequestBody.jsonLines(readings)
        let stored = client.post("\(api)/readings", body: body).validate()
        return stored
    }
}
