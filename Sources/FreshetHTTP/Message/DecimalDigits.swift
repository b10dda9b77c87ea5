extension StringProtocol {
    /// Whether the text consists of decimal digits, and has at least one.
    @inlinable
    package var isDigits: Bool { !isEmpty && utf8.allSatisfy { (48...57).contains($0) } }
}

extension Int {
    /// Reads decimal digits alone, as HTTP writes its numbers. `Int` itself accepts a sign.
    @inlinable
    package init?(digits text: some StringProtocol) {
        guard text.isDigits else { return nil }
        self.init(text)
    }
}
