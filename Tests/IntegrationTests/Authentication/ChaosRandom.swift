/// Numbers that are the same again for the same seed. Source: SplitMix64.
struct ChaosRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// True once in so many times.
    mutating func once(in count: Int) -> Bool {
        Int.random(in: 0..<count, using: &self) == 0
    }

    mutating func duration(_ milliseconds: ClosedRange<Int>) -> Duration {
        .milliseconds(Int.random(in: milliseconds, using: &self))
    }

    /// A secret of letters that hardly stand beside each other anywhere else, so that any eight of them are its own.
    mutating func secret() -> String {
        String((0..<32).map { _ in Self.letters.randomElement(using: &self)! })
    }

    private static let letters = Array("BCDFGHJKLMNPQRSTVWXZ")
}
