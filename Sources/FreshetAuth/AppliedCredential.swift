import FreshetCore
public import FreshetHTTP

/// The note on a request that it carries credentials: one for each interceptor that put one on.
public struct AppliedCredential: RequestTag, CustomStringConvertible, CustomReflectable {
    /// Which interceptor it was.
    final class Owner: Sendable {}

    /// What one interceptor put on. An object, for requests are copied a lot.
    final class Entry: Sendable {
        let owner: Owner
        let credential: Credential
        /// How often the request was repeated with a newer credential of that interceptor.
        let replays: Int

        init(owner: Owner, credential: Credential, replays: Int) {
            self.owner = owner
            self.credential = credential
            self.replays = replays
        }
    }

    private var latest: Entry
    /// Those of other interceptors; there are hardly ever any.
    private var others: [Entry] = []

    /// How often the request was repeated with a newer credential.
    public var replays: Int { others.reduce(latest.replays) { $0 + $1.replays } }

    /// Which credential it carries; of several, the one that was put on last.
    public var generation: Int { latest.credential.generation }

    func entry(of owner: Owner) -> Entry? {
        if latest.owner === owner { return latest }
        return others.first { $0.owner === owner }
    }

    /// Which credential `owner` has put on.
    func generation(by owner: Owner) -> Int? {
        if latest.owner === owner { return latest.credential.generation }
        return others.first { $0.owner === owner }?.credential.generation
    }

    /// The note that `owner` has put `credential` on a request with the note `earlier`.
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

    /// The same without the one of `owner`; `nil` if there was no other.
    func without(_ owner: Owner) -> AppliedCredential? {
        AppliedCredential(([latest] + others).filter { $0.owner !== owner })
    }

    public var description: String { "AppliedCredential(generation \(generation), \(replays) replays)" }
    public var customMirror: Mirror { Mirror(self, children: ["generation": generation, "replays": replays]) }
}
