import ArgumentParser

/// A number of seconds, with decimals, as an argument.
struct Seconds: ExpressibleByArgument {
    var duration: Duration

    init?(argument: String) {
        guard let seconds = DecimalNumber(argument: argument)?.value, seconds > 0, seconds <= 1e9 else { return nil }
        duration = .seconds(seconds)
    }
}
