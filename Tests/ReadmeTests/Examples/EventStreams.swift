import Foundation
import Freshet

/// The examples of the page about event streams.
enum EventStreamsExample {
    static func process(
        _ api: String, after stored: String?, client: HTTPClient, handle: (String) async throws -> Void,
        remember: (String) -> Void
    ) async throws {
        let request = try Request(.get, "\(api)/events")
        let source = EventSource(request, by: client, after: stored)
        for try await event in source.values {
            try await handle(event.data)
            remember(event.id)
        }
    }

    static func follow(
        _ api: String, storedAt path: String, client: HTTPClient, show: @escaping @Sendable (String) -> Void
    ) async throws {
        let stored = try? String(contentsOfFile: path, encoding: .utf8)
        let source = EventSource(try Request(.get, "\(api)/events"), by: client, after: stored)
        for try await signal in source.signals.values {
            switch signal {
            case .event(let event):
                show(event.data)
                try event.id.write(toFile: path, atomically: true, encoding: .utf8)
            case .reconnecting(let delay, _): show("reconnecting in \(delay)")
            default: break
            }
        }
    }

    static func lasting(_ request: Request, after stored: String?, client: HTTPClient) -> EventSource {
        var settings = EventSource.Settings()
        settings.idleTimeout = .seconds(60)
        settings.isTransient = { error in
            if let error = error as? HTTPClientError, error.code == .status {
                if error.response?.status.kind == .serverError { return true }
            }
            return EventSource.Settings.isTransient(error)
        }
        let source = EventSource(request, by: client, after: stored, settings: settings)
        return source
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
