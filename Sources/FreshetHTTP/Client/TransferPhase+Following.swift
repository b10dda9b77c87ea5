extension TransferPhase {
    /// What the transfer does once it has reached this.
    func following(sending hasBody: Bool) -> HTTPClientError.Phase {
        switch self {
        case .admitted: .resolving
        case .resolved: .connecting
        case .connected, .secured: hasBody ? .sending : .waiting
        case .requestSent: .waiting
        }
    }
}
