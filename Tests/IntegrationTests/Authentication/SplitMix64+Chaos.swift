import FreshetTesting

extension SplitMix64 {
    mutating func duration(_ milliseconds: ClosedRange<Int>) -> Duration {
        .milliseconds(Int.random(in: milliseconds, using: &self))
    }

    /// A secret of letters that hardly stand beside each other anywhere else, so that any eight of them are its own.
    mutating func secret() -> String {
        String((0..<32).map { _ in Self.letters.randomElement(using: &self)! })
    }

    private static let letters = Array("BCDFGHJKLMNPQRSTVWXZ")
}
