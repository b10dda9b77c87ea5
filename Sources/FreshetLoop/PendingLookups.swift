/// The lookups that wait for a thread or for the result of one.
///
/// Each step takes constant time, because all threads and loops of the process share one lock for it.
struct PendingLookups {
    private struct Name {
        /// The number of the name among those that wait; `nil` once a thread has taken it.
        var number: Int?
        var lookups: [ObjectIdentifier: NameLookup]
    }

    private static let threadLimit = 16
    private var names: [String: Name] = [:]
    /// The names that no thread has taken, by their numbers. The lowest number is next.
    private var waiting: [Int: String] = [:]
    /// No waiting name has a lower number.
    private var first = 0
    private var end = 0
    private var threads = 0

    /// - Returns: whether one more thread is needed.
    mutating func add(_ lookup: NameLookup, _ host: String) -> Bool {
        let id = ObjectIdentifier(lookup)
        guard names[host] == nil else {
            names[host]?.lookups[id] = lookup
            return false
        }
        names[host] = Name(number: end, lookups: [id: lookup])
        waiting[end] = host
        end += 1
        guard threads < Self.threadLimit else { return false }
        threads += 1
        return true
    }

    mutating func remove(_ lookup: NameLookup, _ host: String) {
        names[host]?.lookups[ObjectIdentifier(lookup)] = nil
        if names[host]?.lookups.isEmpty == true { _ = lookups(of: host) }
    }

    /// Returns the next name for a thread. The thread ends if there is none.
    mutating func next() -> String? {
        while first < end {
            defer { first += 1 }
            guard let host = waiting.removeValue(forKey: first) else { continue }
            names[host]?.number = nil
            return host
        }
        threads -= 1
        return nil
    }

    /// Removes the lookups of a name, which have their result.
    mutating func lookups(of host: String) -> [NameLookup] {
        guard let name = names.removeValue(forKey: host) else { return [] }
        // A second lookup can wait for a thread when the first one, which was cancelled while it ran, has its result.
        if let number = name.number { waiting[number] = nil }
        return Array(name.lookups.values)
    }

    /// Records that a thread could not be started.
    ///
    /// - Returns: the lookups that fail because no other thread is running.
    mutating func threadStartFailed() -> [NameLookup] {
        threads -= 1
        guard threads == 0 else { return [] }
        return waiting.values.flatMap { lookups(of: $0) }
    }
}
