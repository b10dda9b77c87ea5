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
