/// The load that a run creates.
public struct LoadPlan: Sendable {
    /// The total number of requests; `nil` sets no limit.
    var requests: Int?
    /// The time after the start at which the last request begins; `nil` sets no limit.
    var duration: Duration?
    /// The number of virtual users, each of which has one request at a time.
    var concurrency: Int
    /// The requests per second that are due on schedule, regardless of the responses (an open loop). A request that waits for a free
    /// user is late. Without a rate, each virtual user sends its next request when the previous one has ended (a closed loop).
    var rate: Double?

    public init(requests: Int?, duration: Duration?, concurrency: Int, rate: Double? = nil) {
        self.requests = requests
        self.duration = duration
        self.concurrency = concurrency
        self.rate = rate
    }

    /// The number of requests that are under way at once. In an open loop it is at least the 100 that one connection carries over
    /// HTTP/2; over HTTP/1.1 those that have no connection wait in the client.
    var mostAtOnce: Int { rate == nil ? concurrency : max(100, concurrency) }

    /// Returns how many of `count` workers have a part: each of a closed loop needs a virtual user.
    func loops(of count: Int) -> Int {
        rate == nil ? min(count, max(1, concurrency)) : count
    }

    /// Returns the part of worker `index` of `count`. The parts differ by at most one request and one user.
    func share(_ index: Int, of count: Int) -> LoadPlan {
        func share(of total: Int) -> Int { total / count + (index < total % count ? 1 : 0) }
        var plan = self
        plan.requests = requests.map(share)
        plan.concurrency = max(1, share(of: concurrency))
        plan.rate = rate.map { $0 / Double(count) }
        return plan
    }
}
