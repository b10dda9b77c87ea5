import FreshetLoad

/// Maps times to the columns of a terminal, from left to right.
struct TimeScale {
    /// The time of the last column.
    let end: Duration
    let width: Int

    func column(of time: Duration) -> Int {
        min(width - 1, max(0, Int(time / max(end, .nanoseconds(1)) * Double(width))))
    }

    var axis: String {
        let end = "\(TextFormat.milliseconds(end)) ms"
        return "0" + String(repeating: " ", count: max(1, width - 1 - end.count)) + end
    }
}
