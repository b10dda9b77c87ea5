extension TransferPhase {
    /// What the transfer does once it has reached this.
    ///
    /// - Parameter isSecure: whether TLS is spoken, which a new connection begins with.
    func following(
        sending hasLongBody: @autoclosure () -> Bool, isSecure: @autoclosure () -> Bool
    ) -> HTTPClientError.Phase {
        switch self {
        case .admitted: .resolving
        case .resolved: .connecting
        case .connected(_, reused: false) where isSecure(): .securing
        case .connected, .secured: hasLongBody() ? .sending : .waiting
        case .requestSent: .waiting
        }
    }
}
