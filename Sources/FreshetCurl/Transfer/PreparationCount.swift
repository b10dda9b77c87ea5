/// The number of times that a request was prepared.
struct PreparationCount {
    private static let limit = 3

    private(set) var count = 0

    /// - Returns: whether the request is prepared now. The number is limited, because a request that is never ready at once would
    ///   go back to the queue for ever.
    mutating func begin() -> Bool {
        guard count < Self.limit else { return false }
        count += 1
        return true
    }
}
