import Freshet

/// The time that `--timeout` gives the discovery of a login and the person together.
struct LoginDeadline {
    let limit: Duration
    private let start: Instant
    private let scheduler: any SchedulerType

    init(_ limit: Duration, scheduler: any SchedulerType) {
        self.limit = limit
        self.scheduler = scheduler
        start = scheduler.now
    }

    /// What is left, rounded up to tenths of a second, because messages show it.
    var rest: Duration {
        let tenths = ((limit - start.duration(to: scheduler.now)) / .milliseconds(100)).rounded(.up)
        return .milliseconds(100) * max(0, tenths)
    }

    /// Fails if `finding` takes longer than what is left.
    ///
    /// - Parameters:
    ///   - name: what is looked for.
    ///   - address: where it is looked for.
    func bound<Element: Sendable>(_ finding: Single<Element>, named name: String, at address: String) -> Single<Element>
    {
        let error = HTTPClientError(
            .timeout, phase: .waiting, origin: (try? RequestURL(address))?.origin.description ?? "",
            message: "\(name) has not come within \(limit)",
            recoverySuggestion: "try again, or allow more time with --timeout SECONDS")
        return finding.timeout(rest, other: .error(error), scheduler: scheduler)
    }

    /// A client each of whose requests may take what is left now. A code that comes at the last moment is therefore still
    /// exchanged for the tokens.
    func bound(_ client: HTTPClient) -> HTTPClient {
        var configuration = client.configuration
        configuration.timeout = configuration.timeout.map { min($0, rest) } ?? rest
        return client.with(configuration: configuration)
    }
}
