import FreshetCore
import FreshetHTTP
import HTTPTypes

/// Decides which of two attempts delivers the response, as a value without a clock.
///
/// The first attempt that receives a head wins. A failure, a 429 and a status of 500 or above do not win while the other attempt
/// is still running. An attempt that is left alone delivers its result, whatever it is.
struct HedgeRace: Sendable {
    enum Attempt: Int, Sendable {
        case first, second

        var other: Attempt { self == .first ? .second : .first }
    }

    enum Action: Sendable {
        case pass(Event<ResponsePart>)
        case cancel(Attempt)
        /// The attempt delivers the response.
        case won(Attempt)
    }

    private var underWay: Set<Attempt> = [.first]
    private var winner: Attempt?
    private var isSecondBegun = false
    /// Whether an attempt that was dropped was sent, or may have been.
    private var isSent = false
    private var held: [Attempt: [ResponsePart]] = [:]

    /// Whether a second attempt still makes sense.
    var isOpen: Bool { winner == nil && underWay.contains(.first) }

    mutating func beginSecond() {
        isSecondBegun = true
        underWay.insert(.second)
    }

    mutating func receive(_ event: Event<ResponsePart>, of attempt: Attempt) -> [Action] {
        if let winner { return winner == attempt ? [.pass(event)] : [] }
        guard underWay.contains(attempt) else { return [] }
        let isLast = !underWay.contains(attempt.other)
        switch event {
        case .next(.head(let head)):
            return isLast || Self.isAcceptable(head) ? win(attempt, with: event) : drop(attempt, isUnsent: false)
        case .next(let part):
            // The caller sees the steps of one attempt only. With two attempts, they are buffered until one has won.
            if !isSecondBegun { return [.pass(event)] }
            held[attempt, default: []].append(part)
            return []
        case .error(var error as HTTPClientError):
            guard isLast else { return drop(attempt, isUnsent: error.isUnsent) }
            // The error is that of both attempts.
            if isSent { error.isUnsent = false }
            return win(attempt, with: .error(error))
        case .error, .completed:
            return isLast ? win(attempt, with: event) : drop(attempt, isUnsent: false)
        }
    }

    private mutating func win(_ attempt: Attempt, with event: Event<ResponsePart>) -> [Action] {
        winner = attempt
        var actions: [Action] = isSecondBegun ? [.won(attempt)] : []
        if underWay.contains(attempt.other) { actions.append(.cancel(attempt.other)) }
        actions += (held[attempt] ?? []).map { .pass(.next($0)) }
        held = [:]
        return actions + [.pass(event)]
    }

    private mutating func drop(_ attempt: Attempt, isUnsent: Bool) -> [Action] {
        if !isUnsent { isSent = true }
        underWay.remove(attempt)
        held[attempt] = nil
        return [.cancel(attempt)]
    }

    private static func isAcceptable(_ head: HTTPResponse) -> Bool {
        head.status.code < 500 && head.status != .tooManyRequests
    }
}
