import Freshet
import FreshetHTTPTesting
import FreshetLoad

/// The results of the demonstration, as text.
struct FloodReport {
    private let flood: Flood
    private let counts: TokenServer.Counts
    private let answered: Int
    private let replayed: Int
    private let refreshes: [FloodLog.Refresh]

    init(_ flood: Flood) {
        self.flood = flood
        counts = flood.server.counts
        answered = flood.log.count(of: .answered)
        replayed = flood.log.count(of: .replayed)
        refreshes = flood.log.refreshes
    }

    /// Whether each request got its response, and each expired token was refreshed exactly once.
    var isWell: Bool {
        answered == flood.count && counts.refreshes == counts.expiries && counts.reuses == 0 && counts.refusals == 0
    }

    var lines: [StyledText] {
        let introduction =
            "\(TextFormat.count(flood.count, "request")) at once over at most "
            + "\(TextFormat.count(flood.connections, "connection")); "
            + "the token expires \(TextFormat.count(counts.expiries, "time"))."
        return [StyledText(introduction), StyledText()] + FloodPicture(flood.log).lines + [StyledText()]
            + refreshes.enumerated().map { StyledText(line($0, $1)) }
            + [StyledText(stream), StyledText(), StyledText(totals, isWell ? .green : .red)]
    }

    private func line(_ index: Int, _ refresh: FloodLog.Refresh) -> String {
        let event = refresh.event
        let others = max(0, event.waiters - (refresh.cause == nil ? 0 : 1))
        let cause = refresh.cause.map { "\(Flood.items)\($0)" } ?? "the event stream"
        return
            "↻ \(index + 1)  at \(TextFormat.milliseconds(refresh.start)) ms for \(cause): token \(event.outcome.rawValue) in "
            + "\(TextFormat.milliseconds(event.duration)) ms, \(others == 1 ? "1 other" : "\(TextFormat.count(others)) others") waited"
    }

    private var stream: String {
        let streamed = flood.streamed
        let gaps = streamed.missing == 0 ? "none missing" : "\(streamed.missing) missing"
        let ends = streamed.connections - 1
        return "≈    event stream: \(TextFormat.count(streamed.events, "event")), \(gaps); "
            + "reconnected \(ends == 1 ? "once" : "\(ends) times") with a new token"
    }

    private var totals: String {
        let seconds = flood.log.end / .seconds(1)
        let lost = flood.count - answered
        return "\(TextFormat.count(flood.count, "request")), \(TextFormat.count(answered, "response")), \(lost) lost, "
            + "\(counts.expiries) \(counts.expiries == 1 ? "expiry" : "expiries"), "
            + "\(counts.refreshes) \(counts.refreshes == 1 ? "refresh" : "refreshes"), "
            + "\(TextFormat.count(counts.reuses, "token")) refreshed twice, "
            + "\(TextFormat.count(replayed)) replayed, \((seconds * 100).rounded() / 100) s"
    }
}
