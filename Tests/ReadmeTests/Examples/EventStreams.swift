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

    static func answer(to question: Request, client: HTTPClient) -> Observable<String> {
        var settings = EventSource.Settings()
        settings.reconnection = .untilFirstEvent
        settings.terminator = "[DONE]"
        return EventSource(question, by: client, settings: settings).map(\.data)
    }
}
