extension TransferPhase {
    /// The phase that begins when the transfer has reached this step.
    ///
    /// - Parameter isSecure: whether the transfer uses TLS, which a new connection begins with.
    func following(
        sending hasLongBody: @autoclosure () -> Bool, isSecure: @autoclosure () -> Bool
    ) -> HTTPClientError.Phase {
        switch self {
        case .admitted: .resolving
        case .resolved: .connecting
        case .connected(_, reused: false) where isSecure(): .securing
        case .connected, .secured: hasLongBody() ? .sending : .waiting
        case .requestSent, .cache, .layer: .waiting
        }
    }
}
