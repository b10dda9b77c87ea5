import FreshetCore

/// The time limit of a download with all its transfers. Each transfer gets the time that is left.
struct DownloadTime {
    private let timeout: Duration?
    private let clock: (any SchedulerType)?
    private let started: Instant?

    /// - Parameter clock: `nil` if there is only one transfer.
    init(_ timeout: Duration?, on clock: (any SchedulerType)?) {
        self.timeout = timeout
        self.clock = clock
        started = clock?.now
    }

    /// The time that is left; `nil` if there is only one transfer, which has a timeout of its own.
    var left: Duration? {
        guard let clock, let started else { return nil }
        return timeout.map { $0 - started.duration(to: clock.now) } ?? .never
    }

    /// Whether time for a transfer is left after a pause of `delay`.
    func allows(_ delay: Duration) -> Bool { left.map { delay < $0 } ?? true }

    /// The delay before a download is resumed, by how often it was resumed before.
    static func delay(after resumes: Int) -> Duration {
        .milliseconds(500) * (1 << min(resumes, 6)) * Double.random(in: 0.5..<1)
    }

    /// Whether `error` is a timeout, and no time is left for the download.
    func ended(by error: any Error) -> Bool {
        guard let left, (error as? HTTPClientError)?.code == .timeout else { return false }
        return left <= .zero
    }

    /// Returns the error of a download that has reached its limit. It names that limit, and not the time that the last
    /// transfer had.
    func timeoutError(for request: Request) -> HTTPClientError {
        HTTPClientError(
            .timeout, phase: .receiving, origin: request.url.origin.description,
            message: "the download took longer than its \(timeout ?? .zero)", recoverySuggestion: .allowMoreTime)
    }
}
