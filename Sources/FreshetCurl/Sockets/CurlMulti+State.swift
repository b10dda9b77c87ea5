import CFreshetCurl

extension CurlMulti {
    /// What a multi has at one moment.
    struct State {
        var descriptors = DescriptorTable()
        var handles = Handles()
        var timer = LibcurlTimer()
        var turn = Turn()
        var isClosed = false
    }

    /// The easy handles.
    struct Handles {
        /// How many are kept that serve nothing.
        private static let idleLimit = 128

        private(set) var active: [CurlEasy] = []
        private var idle: [CurlEasy] = []
        /// Those that have ended and are not sorted out yet.
        private var ended: [(CurlEasy, CURLcode)] = []
        /// How many of those that run have a body that libcurl asks for.
        var uploads = 0

        mutating func popIdle() -> CurlEasy? { idle.popLast() }

        mutating func keep(_ easy: CurlEasy) {
            if idle.count < Self.idleLimit { idle.append(easy) }
        }

        mutating func dropIdle() { idle = [] }

        mutating func add(_ easy: CurlEasy) {
            easy.state.position = active.count
            active.append(easy)
        }

        mutating func remove(_ easy: CurlEasy) {
            let last = active.removeLast()
            guard last !== easy else { return }
            active[easy.state.position] = last
            last.state.position = easy.state.position
        }

        mutating func end(_ easy: CurlEasy, _ code: CURLcode) { ended.append((easy, code)) }

        mutating func popEnded() -> [(CurlEasy, CURLcode)] {
            defer { ended = [] }
            return ended
        }
    }

    /// What holds until the end of this turn of the loop.
    struct Turn {
        /// Whether the pool knows that the multi has something to do at the end of the turn.
        var isListed = false
        /// The ports of this end of connections on which requests were refused.
        private(set) var refusingPorts: Set<Int32> = []
        /// Whether the other side had ended the connections that libcurl has closed, by the port of this end.
        private(set) var endings: [Int32: Bool] = [:]

        mutating func recordRefusal(on port: Int32) { refusingPorts.insert(port) }
        mutating func recordEnding(of port: Int32, byPeer isByPeer: Bool) { endings[port] = isByPeer }

        /// What has ended was sorted out.
        mutating func forget() {
            if !refusingPorts.isEmpty { refusingPorts.removeAll(keepingCapacity: true) }
            if !endings.isEmpty { endings.removeAll(keepingCapacity: true) }
        }
    }
}

/// When libcurl wants to act, in milliseconds of the loop's clock.
struct LibcurlTimer {
    enum Firing {
        case act
        case wait(Int)
        case nothing
    }

    /// It wants to act at once.
    private(set) var isDue = false
    private var wanted = Int64.max
    /// When the timer fires, which is not later.
    private var armed = Int64.max

    mutating func setDue() { isDue = true }

    /// libcurl acts on what is due.
    mutating func begin() {
        isDue = false
        wanted = .max
    }

    /// libcurl wants to act after so many milliseconds; never, if they are negative.
    ///
    /// - Returns: after how many milliseconds the timer has to fire; `nil` if it fires early enough. A timer that is set too
    ///   early stays: libcurl sets its own several times for each transfer, and nearly all are taken back.
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
