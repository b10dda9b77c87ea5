import FreshetHTTP

/// The sessions in which a request began, one for each interceptor with a gate. A request that waits, for a connection or between
/// two attempts, must not continue with the credential of another user.
struct BeganInSession: RequestTag {
    private var sessions: [(owner: AppliedCredential.Owner, number: Int)] = []

    func number(for owner: AppliedCredential.Owner) -> Int? { sessions.first { $0.owner === owner }?.number }

    mutating func record(_ number: Int, for owner: AppliedCredential.Owner) { sessions.append((owner, number)) }
}
