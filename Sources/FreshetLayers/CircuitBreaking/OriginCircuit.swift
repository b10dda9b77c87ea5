import FreshetCore
import FreshetHTTP
import HTTPTypes

/// The circuit breakers of all origins.
final class OriginCircuits: Sendable {
    struct State: Sendable {
        var breaker: CircuitBreaker
        /// The latest failure of the server.
        var failure: HTTPClientError?
    }

    let states = BoundedTable<Origin, State>()
    let layer: CircuitBreaking

    init(of layer: CircuitBreaking) {
        self.layer = layer
    }
}

/// The circuit breaker of one origin.
struct OriginCircuit: Sendable {
    let origin: Origin
    let circuits: OriginCircuits

    var now: Instant { circuits.layer.scheduler.now }
    /// Decides how long the next pause is.
    var random: Double { circuits.layer.random() }

    func change<Result: Sendable>(_ body: (inout CircuitBreaker, Instant) -> Result) -> Result {
        let now = now
        let (result, next) = changeState { state in
            let phase = state.breaker.phase
            let result = body(&state.breaker, now)
            return (result, state.breaker.phase == phase ? nil : state.breaker.phase)
        }
        if let next { circuits.layer.onTransition(origin, next) }
        return result
    }

    private func changeState<Result: Sendable>(_ body: (inout OriginCircuits.State) -> Result) -> Result {
        circuits.states.change(origin, or: OriginCircuits.State(breaker: CircuitBreaker(circuits.layer.settings)), body)
    }

    /// Keeps `failure` as the reason why the circuit may open, without its response.
    func record(_ failure: HTTPClientError) {
        var failure = failure
        failure.response = nil
        changeState { $0.failure = failure }
    }

    func record(_ status: HTTPResponse.Status) {
        record(
            HTTPClientError(
                .status, phase: .receiving, origin: origin.description,
                message: "the server responded with \(status.code)"))
    }

    /// Keeps the circuit open for as long as the head of a failure asks for. A 429 concerns the requests of one caller, so it
    /// does not open the circuit by itself.
    func respectRetryAfter(of head: HTTPResponse) {
        guard let delay = head.headerFields.retryDelay(at: circuits.layer.secondsSince1970()) else { return }
        let pause = min(delay, circuits.layer.longestRetryAfter)
        change { breaker, now in
            if head.status != .tooManyRequests || breaker.isOpen(at: now) { breaker.open(atLeast: pause, at: now) }
        }
    }

    /// The error of a request that was not admitted.
    func error(_ admission: CircuitBreaker.Admission) -> HTTPClientError {
        let pause: Duration? = if case .refused(let pause) = admission { pause } else { nil }
        let reason =
            pause.map { "gets no request for \(Int(($0 / .seconds(1)).rounded(.up))) s" }
            ?? "another request is testing whether it has recovered"
        let failure = changeState { $0.failure }
        return HTTPClientError(
            .circuitOpen, phase: .queued, origin: origin.description,
            message: "the server has failed\(failure.map { " (\($0.summary))" } ?? ""), and \(reason)",
            recoverySuggestion: .tryAgainLater, underlying: failure, isUnsent: true, remainingPause: pause)
    }
}

extension HTTPClientError {
    fileprivate var summary: String { code == .status ? message : code.rawValue }
}
