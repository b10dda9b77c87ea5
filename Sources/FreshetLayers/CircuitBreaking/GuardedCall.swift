import FreshetCore
import FreshetHTTP
import HTTPTypes

/// A request to a server whose circuit is not open. It gets its permit when it is final, so a request that waits for a
/// credential, or fails because it gets none, is no probe.
final class GuardedCall: TransferReceiver {
    private struct State: Sendable {
        var isRefused = false
        /// `nil` before the request is final, and after its outcome is known.
        var permit: CircuitBreaker.Permit?
        var start: Instant?
        /// How long the head took; `nil` before it has arrived.
        var latency: Duration?
    }

    private let receiver: any TransferReceiver
    private let circuit: OriginCircuit
    private let state = Locked(State())

    init(_ receiver: any TransferReceiver, _ circuit: OriginCircuit) {
        (self.receiver, self.circuit) = (receiver, circuit)
    }

    /// Whether the circuit breaker has failed the request.
    var isRefused: Bool { state.withLock { $0.isRefused } }

    func prepare(_ request: inout Request) -> Adaptation {
        switch receiver.prepare(&request) {
        case .ready:
            if let refusal = admit() { .failed(refusal) } else { .ready }
        case .waiting(let prepared):
            .waiting(prepared.flatMap { [self] request in admit().map { .error($0) } ?? .just(request) })
        }
    }

    func account(of request: Request) -> AccountResolution { receiver.account(of: request) }
    func willSend(_ request: Request) { receiver.willSend(request) }

    // The parts go to the observer of the stream.
    func receive(_ part: consuming ResponsePart) {}
    func receiveEnd(_ failure: (any Error)?) {}

    /// Takes a permit, unless the request has one because it is prepared for the second time.
    private func admit() -> HTTPClientError? {
        if state.withLock({ $0.permit != nil }) { return nil }
        let admission = circuit.change { $0.admit(at: $1) }
        let now = circuit.now
        return state.withLock { state in
            guard case .admitted(let permit) = admission else {
                state.isRefused = true
                return circuit.error(admission)
            }
            (state.permit, state.start) = (permit, now)
            return nil
        }
    }

    func receive(_ head: HTTPResponse, retryAfter: Duration?) {
        let now = circuit.now
        let permit = state.withLock { state in
            state.latency = state.start?.duration(to: now)
            return state.permit
        }
        if head.status.code >= 500 || head.status == .tooManyRequests {
            settle(.failure)
            if let retryAfter { circuit.change { $0.open(atLeast: retryAfter, at: $1) } }
        } else if let permit {
            circuit.change { $0.beginResponse(to: permit, at: $1) }
        }
    }

    /// The caller has cancelled. This is a success if the head has arrived, and otherwise no outcome.
    func cancel() { settle(state.withLock { $0.latency == nil } ? .none : .success) }

    /// Gives the permit back, once.
    func settle(_ outcome: CircuitBreaker.Outcome) {
        let (permit, start, latency) = state.withLock { ($0.permit.take(), $0.start, $0.latency) }
        guard let permit, let start else { return }
        circuit.change { $0.settle(permit, outcome, after: latency ?? start.duration(to: $1), at: $1) }
    }
}
