/// The time at which libcurl wants to act, in milliseconds of the loop's clock.
struct LibcurlTimer {
    enum Firing {
        case act
        case wait(Int)
        case nothing
    }

    /// Whether libcurl wants to act at once.
    private(set) var isDue = false
    private var wanted = Int64.max
    /// When the timer fires, which is not later than `wanted`.
    private var armed = Int64.max

    mutating func setDue() { isDue = true }

    /// libcurl begins to act on what is due.
    mutating func begin() {
        isDue = false
        wanted = .max
    }

    /// libcurl wants to act after `milliseconds`; never, if they are negative.
    ///
    /// A timer that fires too early stays set: libcurl sets its own timer several times for each transfer, and cancels it nearly
    /// every time.
    ///
    /// - Returns: the milliseconds after which the timer has to fire; `nil` if it fires early enough.
    mutating func set(_ milliseconds: Int, at now: Int64) -> Int? {
        isDue = false
        wanted = milliseconds < 0 ? .max : now + Int64(milliseconds)
        guard wanted < armed else { return nil }
        armed = wanted
        return milliseconds
    }

    mutating func fired(at now: Int64) -> Firing {
        armed = .max
        let left = wanted - now
        if left <= 0 { return .act }
        guard wanted < .max else { return .nothing }
        armed = wanted
        return .wait(Int(left))
    }
}
