import FreshetCore
import FreshetHTTP
import HTTPTypes

/// A request behind a circuit breaker. It gets its permit when it is final, so a request that waits for a credential, or fails
/// because it gets none, is no probe.
final class GuardedTransfer: Transfer, ForwardingReceiver {
    private struct State: Sendable {
        /// `nil` after the end or a cancellation, which breaks the cycle of references.
        var below: (any Transfer)?
        /// Set if the circuit breaker has failed the request.
        var isRefused = false
        /// `nil` before the request is final, and after its outcome is known.
        var permit: CircuitBreaker.Permit?
        /// When the request was sent; `nil` before that, for example while a layer below lets it wait.
        var start: Instant?
        /// How long the head took; `nil` before it has arrived.
        var latency: Duration?
    }

    let above: any TransferReceiver
    private let circuit: OriginCircuit
    private let isLongLived: Bool
    private let state = Locked(State())

    init(_ request: Request, to receiver: any TransferReceiver, over transport: any Transport, _ circuit: OriginCircuit)
    {
        (above, self.circuit) = (receiver, circuit)
        isLongLived = request.transfer?.isLongLived == true
        let below = transport.transfer(request, to: self)
        state.withLock { $0.below = below }
    }

    func start() {
        guard let below = state.withLock({ $0.below }) else { return }
        guard let pause = circuit.change({ $0.remainingPause(at: $1) }) else { return below.start() }
        state.withLock { $0.isRefused = true }
        receiveEnd(circuit.error(.refused(for: pause)))
    }

    /// The caller has cancelled. This is a success if the head has arrived, and otherwise no outcome.
    func dispose() {
        let (below, hasHead) = state.withLock { ($0.below.take(), $0.latency != nil) }
        settle(hasHead ? .success : .none)
        below?.dispose()
    }

    func pause() { state.withLock { $0.below }?.pause() }
    func resume() { state.withLock { $0.below }?.resume() }

    // MARK: The request

    func prepare(_ request: inout Request) -> Adaptation {
        switch above.prepare(&request) {
        case .ready:
            if let refusal = admit() { .failed(refusal) } else { .ready }
        case .waiting(let prepared):
            .waiting(prepared.flatMap { [self] request in admit().map { .error($0) } ?? .just(request) })
        }
    }

    func willSend(_ request: Request) {
        let now = circuit.now
        state.withLock { $0.start = $0.start ?? now }
        above.willSend(request)
    }

    /// Takes a permit, unless the request has one because it is prepared for the second time.
    private func admit() -> HTTPClientError? {
        if state.withLock({ $0.permit != nil }) { return nil }
        let random = circuit.random
        let admission = circuit.change { $0.admit(at: $1, random: random) }
        guard case .admitted(let permit) = admission else {
            state.withLock { $0.isRefused = true }
            return circuit.error(admission)
        }
        let isOver = state.withLock { state in
            state.permit = permit
            return state.below == nil
        }
        // The caller can cancel on another thread while the request is prepared, and a cache can prepare it again after its end.
        if isOver { settle(.none) }
        return nil
    }

    // MARK: The response

    func receive(_ part: consuming ResponsePart) {
        if case .head(let head) = part { receive(head) }
        above.receive(part)
    }

    private func receive(_ head: HTTPResponse) {
        let now = circuit.now
        let permit = state.withLock { state in
            state.latency = state.start?.duration(to: now)
            return state.permit
        }
        if head.status.code >= 500 || head.status == .tooManyRequests {
            circuit.record(head.status)
            settle(.failure)
            circuit.respectRetryAfter(of: head)
        } else if isLongLived, let permit {
            circuit.change { $0.beginResponse(to: permit, at: $1) }
        }
    }

    func receiveEnd(_ failure: (any Error)?) {
        let isRefused = state.withLock { state in
            state.below = nil
            return state.isRefused
        }
        if let fault = failure.flatMap(Self.serversFault) {
            circuit.record(fault)
            settle(.failure)
        } else {
            settle(failure == nil ? .success : .none)
        }
        if isRefused, (failure as? HTTPClientError)?.code == .circuitOpen {
            above.receive(.phase(.layer(LayerEvent("circuit_breaker", "refused"))))
        }
        above.receiveEnd(failure)
    }

    /// Gives the permit back, once.
    private func settle(_ outcome: CircuitBreaker.Outcome) {
        let (permit, start, latency) = state.withLock { ($0.permit.take(), $0.start, $0.latency) }
        guard let permit else { return }
        let random = circuit.random
        circuit.change {
            let duration = latency ?? start?.duration(to: $1) ?? .zero
            $0.settle(permit, outcome, after: duration, at: $1, random: random)
        }
    }

    /// Returns the error if the server is at fault.
    private static func serversFault(_ error: any Error) -> HTTPClientError? {
        // A request that gets no connection of this client in time says nothing about the server.
        guard let error = error as? HTTPClientError, error.phase != .queued else { return nil }
        return switch error.code {
        case .resolve, .connect, .tls, .timeout, .connectionLost, .protocol: error
        default: nil
        }
    }
}
