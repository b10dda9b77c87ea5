/// The credential helpers that have been asked and have not responded.
struct HelperWaits {
    /// The name of the program for each call, the oldest first.
    private var pending: [String] = []
    private var noted: Set<String> = []

    /// The helper that has been waited for longest.
    var longest: String? { pending.first }

    mutating func begin(_ helper: String) { pending.append(helper) }

    mutating func end(_ helper: String) {
        if let index = pending.firstIndex(of: helper) { pending.remove(at: index) }
    }

    /// - Returns: whether `helper` has not been noted before.
    mutating func note(_ helper: String) -> Bool { noted.insert(helper).inserted }
}
