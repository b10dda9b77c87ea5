import Synchronization

/// Bounds what further tries add to the load of a server that fails: each costs one, and each request earns a part of one.
///
/// So while all fail, tries add no more than ``ratio`` of the requests once a full purse is spent, however many each would be
/// granted by itself. What is not granted is not tried again; the outcome stands. A purse is full at first, needs no clock,
/// and can be used from any thread, by many policies.
public final class RetryBudget: Sendable {
    /// How many tries a full purse is worth.
    public let capacity: Int
    /// What a request earns, in tries.
    public let ratio: Double

    /// In thousandths of a try.
    private let purse: Atomic<Int>

    /// A purse that is full: `capacity` tries, to which each request adds `ratio` of one.
    ///
    /// - Precondition: `capacity` is from 1 to 1,000,000, and `ratio` from 0 to 1.
    public init(capacity: Int = 100, ratio: Double = 0.2) {
        precondition((1...1_000_000).contains(capacity), "a retry budget holds 1 to 1,000,000 tries")
        precondition((0...1).contains(ratio), "a retry budget earns from 0 to 1 of a try with a request")
        self.capacity = capacity
        self.ratio = ratio
        purse = Atomic(capacity * Self.try)
    }

    private static let `try` = 1000

    /// How many tries are left.
    public var balance: Double { Double(purse.load(ordering: .relaxed)) / Double(Self.try) }

    func earn() {
        change { min($0 + Int(ratio * Double(Self.try)), capacity * Self.try) }
    }

    /// - Returns: whether there was enough left.
    func spend() -> Bool {
        change { $0 < Self.try ? nil : $0 - Self.try }
    }

    @discardableResult
    private func change(_ next: (Int) -> Int?) -> Bool {
        var current = purse.load(ordering: .relaxed)
        while let wanted = next(current) {
            let result = purse.weakCompareExchange(expected: current, desired: wanted, ordering: .relaxed)
            if result.exchanged { return true }
            current = result.original
        }
        return false
    }
}
