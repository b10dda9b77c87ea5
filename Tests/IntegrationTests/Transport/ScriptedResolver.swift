import FreshetCore
import FreshetCurl

/// A resolver whose answers are written down, and that notes what it is asked.
final class ScriptedResolver: Resolver {
    private let state: Locked<(responses: [String: [String]], asked: [String])>
    /// Whose answers come when the test lets them.
    private let gate: Single<Void>

    init(_ responses: [String: [String]], after gate: Single<Void> = .just(())) {
        state = Locked((responses, []))
        self.gate = gate
    }

    var asked: [String] { state.withLock { $0.asked } }

    func respond(_ host: String, with addresses: [String]) {
        state.withLock { $0.responses[host] = addresses }
    }

    func addresses(of host: String) -> Single<[String]> {
        state.withLock { $0.asked.append(host) }
        return gate.map { [self] in
            guard let response = state.withLock({ $0.responses[host] }) else { throw Unknown() }
            return response
        }
    }

    private struct Unknown: Error {}
}
