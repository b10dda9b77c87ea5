import Freshet
import Logging

/// The examples of the page of this name.
enum Watching {
    static func runtime() throws -> FreshetRuntime {
        var configuration = FreshetRuntime.Configuration()
        configuration.monitors = [RequestLog(), RequestMetrics(), RequestTracing()]
        let runtime = try FreshetRuntime(configuration: configuration)
        return runtime
    }

    static func count(_ gate: RefreshGate) {
        _ = gate.refreshes.subscribe(onNext: RefreshMetrics().record)
        _ = gate.revocations.subscribe(onNext: RefreshMetrics().record)
    }

    static func log(showing requestID: HTTPField.Name) -> RequestLog {
        var log = RequestLog(Logger(label: "api"))
        log.level = .debug
        log.redaction.shownQueryNames = ["page"]
        log.redaction.shownFields.insert(requestID)
        return log
    }

    enum Audit {
        @TaskLocal static var user = "nobody"
    }

    static func sent(
        for sessions: Observable<Request>, by client: HTTPClient, _ logger: Logger
    ) -> Observable<Response> {
        let sent = sessions.flatMap { client.send($0) }
            .do(onNext: { logger.info("\(Audit.user): \($0.status)") })
            .bindingTaskLocal(Audit.$user, to: "ada")
        return sent
    }

    static func slowRequests(_ configuration: inout FreshetRuntime.Configuration) -> Observable<String> {
        let events = ClientEvents()
        configuration.client.monitors.append(events)
        let slow = events.asObservable().compactMap { event -> String? in
            guard case .finished(let timings) = event.kind, timings.total > .seconds(1) else { return nil }
            return "\(event.request.url): \(timings.connecting) to connect, \(timings.waiting) to wait for a response"
        }
        return slow
    }

    static func timings(of request: Request, by client: HTTPClient) -> Observable<RequestTimings> {
        client.events(request).compactMap { event in
            if case .finished(let timings) = event { timings } else { nil }
        }
    }

    static func show(_ request: Request, print: (String) -> Void) {
        print(request.curlDescription)
        print(request.curlDescription(revealingSecrets: true))
    }
}
