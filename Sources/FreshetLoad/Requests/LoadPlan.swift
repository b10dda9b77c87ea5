/// The load that a run is to make.
public struct LoadPlan: Sendable {
    /// How many requests are sent in all; `nil` sets no limit.
    var requests: Int?
    /// When the last request begins, after the start; `nil` sets no limit.
    var duration: Duration?
    /// How many requests are under way at once, or, with a rate, how many connections there may be.
    var concurrency: Int
    /// Requests per second that begin on schedule, whatever the responses do (an open loop). Without a rate each virtual
    /// user sends its next request when the one before it has ended (a closed loop).
    var rate: Double?

    public init(requests: Int?, duration: Duration?, concurrency: Int, rate: Double? = nil) {
        self.requests = requests
        self.duration = duration
        self.concurrency = concurrency
        self.rate = rate
    }

    /// The part of worker `index` of `count`; the parts differ by one at most.
    func share(_ index: Int, of count: Int) -> LoadPlan {
        func share(of total: Int) -> Int { total / count + (index < total % count ? 1 : 0) }
        var plan = self
        plan.requests = requests.map(share)
        plan.concurrency = max(1, share(of: concurrency))
        plan.rate = rate.map { $0 / Double(count) }
        return plan
    }
}
