import FreshetCore
import FreshetCurl

/// A resolver whose answers are written down, and that notes what it is asked.
final class ScriptedResolver: Resolver {
    private let state: Locked<(answers: [String: [String]], asked: [String])>
    /// Whose answers come when the test lets them.
    private let gate: Single<Void>

    init(_ answers: [String: [String]], after gate: Single<Void> = .just(())) {
        state = Locked((answers, []))
        self.gate = gate
    }

    var asked: [String] { state.withLock { $0.asked } }

    func answer(_ host: String, with addresses: [String]) {
        state.withLock { $0.answers[host] = addresses }
    }

    func addresses(of host: String) -> Single<[String]> {
        state.withLock { $0.asked.append(host) }
        return gate.map { [self] in
            guard let answer = state.withLock({ $0.answers[host] }) else { throw Unknown() }
            return answer
        }
    }

    private struct Unknown: Error {}
}
