public import FreshetCore
public import FreshetHTTP
import HTTPTypes

/// Fails requests to a server at once while the server fails, separately for each origin. See `CircuitBreaker`.
///
/// A failure is an error of the network, a status of 500 or above, or 429. `Retry-After` of such a response keeps the circuit
/// open for at least that time. A request that its caller cancels before the response does not count. A refused request fails
/// with code `circuitOpen`, and the error names the time of the next try.
public struct CircuitBreaking: TransportLayer {
    private let settings: CircuitBreaker.Settings
    private let scheduler: any SchedulerType
    private let secondsSince1970: @Sendable () -> Double

    /// - Parameters:
    ///   - settings: when a circuit opens, and for how long.
    ///   - scheduler: the clock of the pauses.
    ///   - secondsSince1970: the wall clock, for a `Retry-After` that is a date.
    @preconcurrency
    public init(
        _ settings: CircuitBreaker.Settings = .init(), scheduler: any SchedulerType,
        secondsSince1970: @escaping @Sendable () -> Double = WallClock.secondsSince1970
    ) {
        self.settings = settings
        self.scheduler = scheduler
        self.secondsSince1970 = secondsSince1970
    }

    public func wrapping(_ transport: any Transport) -> any Transport {
        let breakers = BoundedTable<Origin, CircuitBreaker>()
        return ObservableTransport(unprepared: { [self] request, receiver in
            .deferred {
                let origin = request.url.origin
                let admission = breakers.change(origin, or: CircuitBreaker(settings)) { $0.admit(at: scheduler.now) }
                switch admission {
                case .refused(let wait):
                    return .refused(LayerEvent("circuit_breaker", "refused"), Self.isOpen(for: wait, origin))
                case .admitted(let permit):
                    let call = GuardedCall(permit, at: scheduler.now) { change in
                        breakers.change(origin, or: CircuitBreaker(settings), change)
                    }
                    return transport.parts(request, for: receiver).do(
                        onNext: { part in
                            if case .head(let head) = part { call.receive(head, asked: delay(head), at: scheduler.now) }
                        },
                        onError: { call.settle(Self.isServersFault($0) ? .failure : .none, at: scheduler.now) },
                        onCompleted: { call.settle(.success, at: scheduler.now) },
                        onDispose: { call.leave(at: scheduler.now) })
                }
            }
        })
    }

    private func delay(_ head: HTTPResponse) -> Duration? {
        head.headerFields[.retryAfter].flatMap { RetryAfter($0) }?.delay(at: secondsSince1970())
    }

    private static func isServersFault(_ error: any Error) -> Bool {
        switch (error as? HTTPClientError)?.code {
        case .resolve, .connect, .tls, .timeout, .connectionLost, .protocol: true
        default: false
        }
    }

    private static func isOpen(for wait: Duration, _ origin: Origin) -> HTTPClientError {
        let seconds = Int((wait / .seconds(1)).rounded(.up))
        return HTTPClientError(
            .circuitOpen, phase: .queued, origin: origin.description,
            message: "the server has failed too often, and is not asked for \(seconds) s",
            recoverySuggestion: .tryAgainLater, isUnsent: true)
    }
}

/// A call with its permit, which is returned once.
private final class GuardedCall: Sendable {
    typealias Change = @Sendable ((inout CircuitBreaker) -> Void) -> Void

    private struct State: Sendable {
        var isSettled = false
        var hasHead = false
    }

    private let permit: CircuitBreaker.Permit
    private let change: Change
    private let start: Instant
    private let state = Locked(State())

    /// - Parameter change: changes the breaker that has issued the permit.
    init(_ permit: CircuitBreaker.Permit, at now: Instant, change: @escaping Change) {
        (self.permit, self.change, start) = (permit, change, now)
    }

    func receive(_ head: HTTPResponse, asked: Duration?, at now: Instant) {
        state.withLock { $0.hasHead = true }
        guard head.status.code >= 500 || head.status == .tooManyRequests else { return }
        settle(.failure, at: now)
        if let asked { change { $0.open(atLeast: asked, at: now) } }
    }

    /// The caller has cancelled. This is a success if the head has arrived, and otherwise no outcome.
    func leave(at now: Instant) { settle(state.withLock { $0.hasHead } ? .success : .none, at: now) }

    func settle(_ outcome: CircuitBreaker.Outcome, at now: Instant) {
        let isFirst = state.withLock { state in
            defer { state.isSettled = true }
            return !state.isSettled
        }
        guard isFirst else { return }
        change { $0.settle(permit, outcome, after: start.duration(to: now), at: now) }
    }
}
