import FreshetCore
import FreshetCurl

/// A resolver whose responses a test scripts. It records the names that it is asked for.
final class ScriptedResolver: Resolver {
    private let state: Locked<(responses: [String: [String]], queries: [String])>
    /// Delays the responses until the test lets them pass.
    private let gate: Single<Void>

    init(_ responses: [String: [String]], after gate: Single<Void> = .just(())) {
        state = Locked((responses, []))
        self.gate = gate
    }

    var queries: [String] { state.withLock { $0.queries } }

    func respond(_ host: String, with addresses: [String]) {
        state.withLock { $0.responses[host] = addresses }
    }

    func addresses(of host: String) -> Single<[String]> {
        state.withLock { $0.queries.append(host) }
        return gate.map { [self] in
            guard let response = state.withLock({ $0.responses[host] }) else { throw Unknown() }
            return response
        }
    }

    private struct Unknown: Error {}
}
