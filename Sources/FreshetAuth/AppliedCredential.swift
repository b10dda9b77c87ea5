import FreshetCore
public import FreshetHTTP

/// Records on a request which credentials it carries: one entry for each interceptor that applied one.
public struct AppliedCredential: RequestTag, CustomStringConvertible, CustomReflectable {
    /// Identifies the interceptor that applied the credential.
    final class Owner: Sendable {}

    /// The credential that one interceptor applied. A class, because requests are copied often.
    final class Entry: Sendable {
        let owner: Owner
        let credential: Credential
        /// How often this interceptor has repeated the request with a newer credential.
        let replays: Int

        init(owner: Owner, credential: Credential, replays: Int) {
            self.owner = owner
            self.credential = credential
            self.replays = replays
        }
    }

    private var latest: Entry
    /// The entries of other interceptors. Most requests have none.
    private var others: [Entry] = []

    /// How often the request has been repeated with a newer credential, summed over all interceptors.
    public var replays: Int { others.reduce(latest.replays) { $0 + $1.replays } }

    /// The generation of the credential that the request carries. If several were applied, the generation of the last
    /// one.
    public var generation: Int { latest.credential.generation }

    func entry(of owner: Owner) -> Entry? {
        if latest.owner === owner { return latest }
        return others.first { $0.owner === owner }
    }

    /// Returns the generation of the credential that `owner` applied.
    func generation(by owner: Owner) -> Int? {
        if latest.owner === owner { return latest.credential.generation }
        return others.first { $0.owner === owner }?.credential.generation
    }

    /// Creates the record that `owner` applied `credential` to a request that carried the record `earlier`.
    init(of credential: Credential, by owner: Owner, after earlier: AppliedCredential?) {
        let last = earlier?.entry(of: owner)
        let replays = last.map { $0.credential.generation == credential.generation ? $0.replays : $0.replays + 1 } ?? 0
        latest = Entry(owner: owner, credential: credential, replays: replays)
        if let earlier, earlier.latest.owner !== owner || !earlier.others.isEmpty {
            others = ([earlier.latest] + earlier.others).filter { $0.owner !== owner }
        }
    }

    private init?(_ entries: [Entry]) {
        guard let first = entries.first else { return nil }
        latest = first
        others = Array(entries.dropFirst())
    }

    /// Returns the record without the entry of `owner`; `nil` if no other entry is left.
    func without(_ owner: Owner) -> AppliedCredential? {
        AppliedCredential(([latest] + others).filter { $0.owner !== owner })
    }

    public var description: String { "AppliedCredential(generation \(generation), \(replays) replays)" }
    public var customMirror: Mirror { Mirror(self, children: ["generation": generation, "replays": replays]) }
}
