import FreshetCore
import FreshetHTTP
import HTTPTypes

/// One request, and its second attempt.
final class HedgedRequest: Sendable {
    private struct State: Sendable {
        var race = HedgeRace()
        var sent: [HedgeRace.Attempt: (request: Request, at: Instant)] = [:]
        var latest: HedgeRace.Attempt?
    }

    private let request: Request
    fileprivate let receiver: any TransferReceiver
    private let transport: any Transport
    private let hedging: Hedging
    private let origins: BoundedTable<Origin, HedgingOrigin>
    private let state = Locked(State())
    /// Emits when the first attempt is sent.
    private let sent = PublishSubject<Void>()
    /// Replays both, because an attempt can be cancelled, on another thread, while it is being subscribed to.
    private let cancelled = ReplaySubject<HedgeRace.Attempt>.create(bufferSize: 2)

    init(
        _ request: Request, _ receiver: any TransferReceiver, _ transport: any Transport, _ hedging: Hedging,
        _ origins: BoundedTable<Origin, HedgingOrigin>
    ) {
        (self.request, self.receiver, self.transport) = (request, receiver, transport)
        (self.hedging, self.origins) = (hedging, origins)
    }

    /// `merge` makes the events of both attempts serial, and passes a pause to both.
    var parts: Observable<ResponsePart> {
        let events = Observable.merge(second, attempt(.first, request))
        return .create { [self] observer in
            events.subscribe(onNext: { [self] attempt, event in
                for action in receive(event, of: attempt) {
                    switch action {
                    case .pass(let event): observer.on(event)
                    case .cancel(let attempt): cancelled.onNext(attempt)
                    case .won(let attempt):
                        won(attempt)
                        let name = attempt == .second ? "second_attempt_won" : "first_attempt_won"
                        observer.onNext(.phase(.layer(LayerEvent("hedging", name))))
                    }
                }
            })
        }
    }

    private typealias AttemptEvent = (HedgeRace.Attempt, Event<ResponsePart>)

    private func attempt(_ attempt: HedgeRace.Attempt, _ request: Request) -> Observable<AttemptEvent> {
        transport.parts(request, for: HedgeReceiver(self, attempt)).materialize().map { (attempt, $0) }
            .take(until: cancelled.filter { $0 == attempt })
    }

    private var second: Observable<AttemptEvent> {
        sent.take(1).flatMap { [self] _ -> Observable<Void> in
            hedging.hedgeDelay(after: origins.value(for: request.url.origin, or: hedging.empty).delay(at: hedging.now))
        }
        .flatMap { [self] _ -> Observable<AttemptEvent> in
            // The response may have begun, or an interceptor has forbidden to repeat the request. Only an attempt that is sent
            // withdraws.
            guard state.withLock({ $0.race.isOpen && $0.sent[.first]?.request.isOneShot == false }),
                hedging.budget.tryWithdraw()
            else { return .empty() }
            let isWanted = state.withLock { state in
                if state.race.isOpen { state.race.beginSecond() }
                return state.race.isOpen
            }
            guard isWanted else { return .empty() }
            var again = request
            again.transfer = again.transfer ?? TransferOptions()
            again.transfer?.freshConnection = true
            return attempt(.second, again)
        }
    }

    private func receive(_ event: Event<ResponsePart>, of attempt: HedgeRace.Attempt) -> [HedgeRace.Action] {
        measure(event, of: attempt)
        return state.withLock { $0.race.receive(event, of: attempt) }
    }

    private func measure(_ event: Event<ResponsePart>, of attempt: HedgeRace.Attempt) {
        let now = hedging.now
        switch event {
        case .next(.head(let head)):
            let starts = state.withLock { state in
                // The losing attempt would have taken at least this long. Without its time, the threshold would shrink with each
                // win.
                attempt == .second ? [state.sent[.first], state.sent[.second]] : [state.sent[.first]]
            }
            origins.change(request.url.origin, or: hedging.empty) { origin in
                for case let start? in starts { origin.add(start.at.duration(to: now)) }
                if let pause = hedging.pause(after: head) { origin.pause(for: pause, at: now) }
            }
        case .error(let error):
            guard let pause = hedging.pause(after: error) else { return }
            origins.change(request.url.origin, or: hedging.empty) { $0.pause(for: pause, at: now) }
        default: break
        }
    }

    /// Reports the winning attempt's request to the caller, which has to know the credential of the response.
    private func won(_ attempt: HedgeRace.Attempt) {
        let unreported = state.withLock { $0.latest == attempt ? nil : $0.sent[attempt]?.request }
        if let unreported { receiver.willSend(unreported) }
    }

    // MARK: Receiving

    fileprivate func willSend(_ request: Request, as attempt: HedgeRace.Attempt) {
        let now = hedging.now
        state.withLock { state in
            state.sent[attempt] = (request, now)
            state.latest = attempt
        }
        receiver.willSend(request)
        if attempt == .first { sent.onNext(()) }
    }
}

private final class HedgeReceiver: ForwardingReceiver {
    private let hedged: HedgedRequest
    private let attempt: HedgeRace.Attempt

    var above: any TransferReceiver { hedged.receiver }

    init(_ hedged: HedgedRequest, _ attempt: HedgeRace.Attempt) {
        self.hedged = hedged
        self.attempt = attempt
    }

    func willSend(_ request: Request) { hedged.willSend(request, as: attempt) }
    func receive(_ part: consuming ResponsePart) {}
    func receiveEnd(_ failure: (any Error)?) {}
}
