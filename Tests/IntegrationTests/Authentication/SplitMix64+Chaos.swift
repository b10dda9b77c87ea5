import FreshetTesting

extension SplitMix64 {
    mutating func duration(_ milliseconds: ClosedRange<Int>) -> Duration {
        .milliseconds(Int.random(in: milliseconds, using: &self))
    }

    /// A secret of letters that are rarely neighbours elsewhere, so that any eight of them identify it.
    mutating func secret() -> String {
        String((0..<32).map { _ in Self.letters.randomElement(using: &self)! })
    }

    private static let letters = Array("BCDFGHJKLMNPQRSTVWXZ")
}
