import FreshetCore

/// How many bytes of a body a pace lets pass, and when more of them may pass.
struct PaceMeter {
    private let pace: Pace
    /// The bytes of the current interval that have not passed, and its end.
    private var left = 0
    private var end: Instant?

    init(_ pace: Pace) {
        self.pace = pace
    }

    /// Why nothing may pass now.
    enum Wait {
        case time(Duration)
        case throttle(Throttle)
    }

    /// Takes as many of `count` bytes as may pass now, at least one, or says for what they wait.
    ///
    /// - Parameter now: the time; without a clock intervals take no time.
    mutating func consume(atMost count: Int, at now: Instant?) -> (count: Int, wait: Wait?) {
        switch pace {
        case .every(let size, let pause):
            if left == 0 {
                if let now, let end, now < end { return (0, .time(now.duration(to: end))) }
                left = size
                end = now?.advanced(by: pause)
            }
            let taken = min(count, left)
            left -= taken
            return (taken, nil)
        case .tap(let throttle):
            let taken = throttle.consume(atMost: count)
            return (taken, taken == 0 ? .throttle(throttle) : nil)
        }
    }
}
