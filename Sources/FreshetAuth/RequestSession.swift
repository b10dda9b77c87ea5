import FreshetHTTP

/// The session to which a request belongs, one for each interceptor with a gate: that in which it began, or that of the last
/// credential that it received. A request that waits, for a connection or between two attempts, must not continue with the
/// credential of another user.
struct RequestSession: RequestTag {
    private typealias Entry = (owner: AppliedCredential.Owner, number: Int)

    private var latest: Entry
    /// Those of other interceptors. Most requests have none.
    private var others: [Entry] = []

    init(_ number: Int, of owner: AppliedCredential.Owner, after earlier: RequestSession?) {
        latest = (owner, number)
        if let earlier { others = ([earlier.latest] + earlier.others).filter { $0.owner !== owner } }
    }

    func number(for owner: AppliedCredential.Owner) -> Int? {
        latest.owner === owner ? latest.number : others.first { $0.owner === owner }?.number
    }
}
