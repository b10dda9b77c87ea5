import FreshetCore
import HTTPTypes
import Synchronization

/// Tells a monitor what happens to one request; there for requests alone that somebody watches.
// Unchecked: touched by the request's drain alone, but for `announced`, which reads what never changes.
final class RequestWatch: @unchecked Sendable {
    private static let lastID = Atomic<UInt64>(0)

    private let monitor: ClientMonitors
    private let now: @Sendable () -> Instant
    private let id: RequestID
    private var request: Request
    private var status: HTTPResponse.Status?
    private var exchange: Exchange?
    private var exchanges = 0
    private var attempt = 0
    private var isHop = false

    init(_ request: inout Request, by monitor: ClientMonitors, now: @escaping @Sendable () -> Instant) {
        self.monitor = monitor
        self.now = now
        monitor.begins(&request)
        self.request = request
        id = RequestID(rawValue: Self.lastID.wrappingAdd(1, ordering: .relaxed).newValue)
    }

    func tell(_ kind: ClientEvent.Kind) {
        monitor.take(
            ClientEvent(
                id: id, attempt: attempt, instant: now(), request: request, status: status, kind: kind))
    }

    /// The request goes out as its adapters have made it, and as the monitor makes it.
    func announce(_ request: inout Request) {
        monitor.sends(&request)
    }

    func queued(_ request: Request) {
        self.request = request
        exchange = Exchange(request, resends: exchanges, at: now())
        tell(.queued)
    }

    /// Something has come of the transfer, whatever becomes of it.
    func take(_ input: RequestStateMachine.Input) {
        switch input {
        case .adapted(let request):
            self.request = request
            exchange?.request = request
        case .part(let part):
            take(part)
        case .failed(let error, _):
            exchange?.failure = error
        case .start, .ended, .decided, .waited:
            break
        }
    }

    private func take(_ part: ResponsePart) {
        switch part {
        case .phase(let phase):
            note(phase)
            tell(.phase(phase))
        case .sent(let bytes, _):
            exchange?.sentBytes = bytes
        case .informational(let head):
            tell(.informational(head))
        case .head(let head):
            exchange?.head = head
            status = head.status
            tell(.head(head))
        case .body(let bytes):
            exchange?.receivedBytes += bytes.count
        case .trailers:
            break
        }
    }

    private func note(_ phase: TransferPhase) {
        switch phase {
        case .admitted:
            exchange?.began = now()
            exchange?.wasAdmitted = true
            if !isHop { attempt += 1 }
            isHop = false
        case .connected(let address, let isReused):
            exchange?.address = address
            exchange?.isReused = isReused
        case .secured(let name):
            exchange?.version = name == "h2" ? "2" : "1.1"
        case .requestSent where exchange?.sentBytes == nil:
            exchange?.sentBytes = request.body.length
        case .resolved, .requestSent:
            break
        }
    }

    func redirected(_ status: HTTPResponse.Status, to url: RequestURL) {
        endExchange()
        isHop = true
        tell(.redirect(status: status, to: url))
    }

    func retries(after delay: Duration, dueTo outcome: Attempt.Outcome) {
        endExchange()
        tell(.retry(after: delay, dueTo: outcome))
    }

    func finished(_ timings: RequestTimings) {
        endExchange()
        tell(.finished(timings))
    }

    func failed(_ error: any Error, _ timings: RequestTimings) {
        endExchange(error)
        tell(.failed(error, timings))
    }

    func cancelled(_ timings: RequestTimings) {
        // Who has seen an answer begin may have seen enough.
        endExchange(exchange?.head == nil ? Self.cancellation(of: request) : nil)
        tell(.cancelled(timings))
    }

    private func endExchange(_ failure: (any Error)? = nil) {
        guard var exchange else { return }
        self.exchange = nil
        exchanges += 1
        exchange.failure = exchange.failure ?? failure
        exchange.ended = now()
        tell(.exchanged(exchange))
    }

    private static func cancellation(of request: Request) -> HTTPClientError {
        HTTPClientError(
            .cancelled, phase: .waiting, origin: request.url.origin.description,
            message: "the subscriber left", remedy: "subscribe again")
    }
}
