import Freshet

/// What load is wanted.
struct LoadPlan: Sendable {
    /// How many requests in all; `nil` is as many as come.
    var requests: Int?
    /// When the last one begins.
    var duration: Duration?
    /// How many are under way at once, or, with a rate, how many connections there may be.
    var concurrency: Int
    /// Requests a second that begin whatever the answers do; `nil` is the next when the one before it has ended.
    var rate: Double?

    /// The part of lane `index` of `count`, which are as equal as can be.
    func share(_ index: Int, of count: Int) -> LoadPlan {
        func share(of total: Int) -> Int { total / count + (index < total % count ? 1 : 0) }
        var plan = self
        plan.requests = requests.map(share)
        plan.concurrency = max(1, share(of: concurrency))
        plan.rate = rate.map { $0 / Double(count) }
        return plan
    }
}

/// The times at which requests begin in an open loop: evenly, from the start on.
struct LoadSchedule: Sendable {
    private let rate: Double
    /// How many there are; those that would begin after the end are none.
    let count: Int

    /// - Parameter offset: of the first, as a part of the distance between two: lanes take turns.
    init(rate: Double, requests: Int?, duration: Duration?, offset: Double = 0) {
        self.rate = rate
        self.offset = offset
        // One begins at zero, so a second at a rate of 10 has 10.
        let timely = duration.map { Int(((($0 / .seconds(1)) * rate) - offset).rounded(.up)) }
        count = min(requests ?? .max, timely.map { max(0, $0) } ?? .max)
    }

    private let offset: Double

    /// When the request `index` begins, after the start.
    func time(of index: Int) -> Duration {
        .nanoseconds(Int64((Double(index) + offset) / rate * 1e9))
    }

    /// How many begin up to `time` after the start, in all.
    func due(at time: Duration) -> Int {
        let begun = Int((Double(time.wholeNanoseconds) * rate / 1e9 - offset).rounded(.down)) + 1
        return min(count, max(0, begun))
    }
}

extension Duration {
    /// As far as 64 bits go: 292 years.
    var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000
    }
}
