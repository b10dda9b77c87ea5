import ArgumentParser
import Freshet

/// A rate of requests: `20/s`, `90/m` or `auto`.
struct RateArgument: ExpressibleByArgument {
    /// The rate; `nil` means that it is learned from responses.
    private let perSecond: Double?

    init?(argument: String) {
        if argument == "auto" {
            perSecond = nil
            return
        }
        let parts = argument.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let number = DecimalNumber(argument: String(parts[0]))?.value, number > 0, number <= 1e9
        else { return nil }
        switch parts[1] {
        case "s": perSecond = number
        case "m": perSecond = number / 60
        default: return nil
        }
    }

    func rule(burst: Int) -> RateLimit.Rule {
        perSecond.map { .fixed(perSecond: $0, burst: burst) } ?? .learned
    }
}
