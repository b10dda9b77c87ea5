import FreshetCore
import HTTPTypes
import Synchronization

/// Makes the events of one request for the monitors. A request has it only if its client has monitors.
struct MonitoredRequest {
    private static let lastID = Atomic<UInt64>(0)

    private let id: RequestID
    private var request: Request
    private var status: HTTPResponse.Status?
    private var exchange: Exchange?
    private var exchanges = 0
    private var isStarted = false

    /// - Parameter request: gets the tags that `monitor` sets on it.
    init(_ request: inout Request, by monitor: ClientMonitors) {
        monitor.willStart(&request)
        self.request = request
        id = RequestID(rawValue: Self.lastID.wrappingAdd(1, ordering: .relaxed).newValue)
    }

    /// Returns the events for something that has happened, whatever the machine does about it.
    mutating func events(of input: RequestStateMachine.Input, attempt: Int, at now: Instant) -> [ClientEvent] {
        // The status of a head is recorded before its event is made.
        let kind = record(input, at: now)
        return events(kind.map { [$0] } ?? [], attempt: attempt, at: now)
    }

    /// Returns the events for an action of the machine.
    mutating func events(
        of action: RequestStateMachine.Action, _ clock: PhaseClock, attempt: Int, at now: Instant
    ) -> [ClientEvent] {
        var kinds = record(action, timings: clock.end(attempts: attempt, at: now), at: now)
        // The client can refuse a request, and the subscriber can dispose of it, before it starts.
        if !isStarted, !kinds.isEmpty { kinds.insert(.started, at: 0) }
        return events(kinds, attempt: attempt, at: now)
    }

    private func events(_ kinds: [ClientEvent.Kind], attempt: Int, at now: Instant) -> [ClientEvent] {
        kinds.map { ClientEvent(id: id, attempt: attempt, instant: now, request: request, status: status, kind: $0) }
    }

    private mutating func record(_ input: RequestStateMachine.Input, at now: Instant) -> ClientEvent.Kind? {
        switch input {
        case .start:
            isStarted = true
            return .started
        case .sending(let request):
            self.request = request
            exchange?.request = request
        // The second attempt of a hedged request is admitted too, and the exchange is one.
        case .part(.phase(.admitted)) where exchange?.wasAdmitted == true: break
        case .part(.phase(let phase)):
            record(phase, at: now)
            return .phase(phase)
        case .part(.sent(let bytes, _)): exchange?.sentBytes = bytes
        case .part(.informational(let head)): return .informational(head)
        case .part(.body(let bytes)): exchange?.receivedBytes += bytes.count
        case .head(let head, _, _):
            exchange?.head = head
            status = head.status
            return .head(head)
        case .ended(let error?): exchange?.failure = error
        case .credentialChanged(let change): return .credentialChanged(change)
        default: break
        }
        return nil
    }

    private mutating func record(_ phase: TransferPhase, at now: Instant) {
        switch phase {
        case .admitted:
            exchange?.began = now
            exchange?.wasAdmitted = true
        case .connected(let address, let isReused):
            exchange?.address = address
            exchange?.isReused = isReused
            // A transport agrees on HTTP/2 only while it secures a connection.
            if !request.url.isSecure { exchange?.version = "1.1" }
        case .secured(let name):
            exchange?.version = name == "h2" ? "2" : "1.1"
        case .requestSent(let bytes) where exchange?.sentBytes == nil:
            exchange?.sentBytes = request.isBodySent(within: bytes) ? request.body.length : 0
        case .cache(let status):
            exchange?.cacheStatus = status
        case .resolved, .requestSent, .layer:
            break
        }
    }

    private mutating func record(
        _ action: RequestStateMachine.Action, timings: RequestTimings, at now: Instant
    ) -> [ClientEvent.Kind] {
        switch action {
        case .send(let request):
            self.request = request
            exchange = Exchange(request, resends: exchanges, at: now)
            return [.queued]
        case .emit(.redirect(let status, let url)):
            return endExchange(at: now) + [.redirect(status: status, to: url)]
        case .emit(.retry(let delay, let outcome)):
            return endExchange(at: now) + [.retry(after: delay, dueTo: outcome)]
        case .finish: return endExchange(at: now) + [.finished(timings)]
        case .fail(let error):
            // A status that is refused is an error of the request, and not of the exchange.
            let isRefusal = (error as? HTTPClientError)?.code == .status
            return endExchange(isRefusal ? nil : error, at: now) + [.failed(error, timings)]
        case .leave:
            // A subscriber that disposes after the response has begun may have seen enough, so this is not a failure.
            let failure = exchange?.head == nil ? Self.cancellation(of: request) : nil
            return endExchange(failure, at: now) + [.cancelled(timings)]
        default: return []
        }
    }

    private mutating func endExchange(_ failure: (any Error)? = nil, at now: Instant) -> [ClientEvent.Kind] {
        guard var exchange = exchange.take() else { return [] }
        exchanges += 1
        exchange.failure = exchange.failure ?? failure
        exchange.ended = now
        return [.exchanged(exchange)]
    }

    private static func cancellation(of request: Request) -> HTTPClientError {
        HTTPClientError(
            .cancelled, phase: .waiting, origin: request.url.origin.description,
            message: "the subscriber left", recoverySuggestion: "subscribe again")
    }
}
