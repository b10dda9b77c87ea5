extension Duration {
    /// The duration in whole nanoseconds, limited to half the range of 64 bits, which is 146 years.
    package var nanoseconds: Int64 {
        // `components` divides twice, and by a number that does not fit into a register.
        let nanoseconds = attoseconds / 1_000_000_000
        return Int64(min(max(nanoseconds, Int128(Int64.min / 2)), Int128(Int64.max / 2)))
    }

    /// The duration in milliseconds, rounded up, so that a time that is set by it is not too early.
    package var millisecondsRoundedUp: Int64 {
        let (milliseconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000)
        return rest > 0 ? milliseconds + 1 : milliseconds
    }
}
