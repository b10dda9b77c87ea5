import FreshetCore

/// How long a download may take with all its transfers, of which each gets what is left.
struct DownloadTime {
    private let timeout: Duration?
    private let clock: (any SchedulerType)?
    private let started: Instant?

    /// - Parameter clock: `nil` where there is one transfer.
    init(_ timeout: Duration?, on clock: (any SchedulerType)?) {
        self.timeout = timeout
        self.clock = clock
        started = clock?.now
    }

    /// `nil` where there is one transfer, which has a timeout of its own.
    var left: Duration? {
        guard let clock, let started else { return nil }
        return timeout.map { $0 - started.duration(to: clock.now) } ?? .never
    }

    /// Whether `error` says so of a transfer that had got the rest.
    func ended(by error: any Error) -> Bool {
        guard let left, (error as? HTTPClientError)?.code == .timeout else { return false }
        return left <= .zero
    }

    /// Names the whole, and not what the last transfer had of it.
    func isUp(for request: Request) -> HTTPClientError {
        HTTPClientError(
            .timeout, phase: .receiving, origin: request.url.origin.description,
            message: "the download took longer than its \(timeout ?? .zero)", recoverySuggestion: .allowMoreTime)
    }
}
