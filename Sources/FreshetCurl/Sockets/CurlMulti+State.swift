import CFreshetCurl

extension CurlMulti {
    /// The state of a multi.
    struct State {
        var descriptors = DescriptorTable()
        var handles = Handles()
        var timer = LibcurlTimer()
        var turn = Turn()
        var isClosed = false
    }

    /// The easy handles.
    struct Handles {
        /// The number of unused handles that are kept.
        private static let idleLimit = 128

        private(set) var active: [CurlEasy] = []
        private var idle: [CurlEasy] = []
        /// The handles that have ended and are not processed yet.
        private var ended: [(CurlEasy, CURLcode)] = []
        /// The number of active handles whose body libcurl reads while it sends it.
        private(set) var uploads = 0

        mutating func popIdle() -> CurlEasy? { idle.popLast() }

        mutating func keep(_ easy: CurlEasy) {
            if idle.count < Self.idleLimit { idle.append(easy) }
        }

        /// Removes the unused handles. The caller frees them, because libcurl's function for that could reach this state.
        mutating func takeIdle() -> [CurlEasy] {
            defer { idle = [] }
            return idle
        }

        mutating func add(_ easy: CurlEasy) {
            if easy.state.set.contains(.upload) { uploads += 1 }
            easy.state.position = active.count
            active.append(easy)
        }

        mutating func remove(_ easy: CurlEasy) {
            if easy.state.set.contains(.upload) { uploads -= 1 }
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

    /// The state that lasts until the end of this turn of the loop.
    struct Turn {
        /// Whether the pool calls ``CurlMulti/endTurn()`` at the end of the turn.
        var isEndRequested = false
        /// The connections on which requests were refused.
        private var refusing: Set<ConnectionIdentity> = []
        /// Whether the other side had ended the connections that libcurl has closed.
        private(set) var endings: [ConnectionIdentity: Bool] = [:]

        mutating func recordRefusal(on connection: ConnectionIdentity) { refusing.insert(connection) }

        func hasRefusal(on connection: @autoclosure () -> ConnectionIdentity?) -> Bool {
            !refusing.isEmpty && connection().map(refusing.contains) == true
        }

        mutating func recordEnding(of connection: ConnectionIdentity, byPeer isByPeer: Bool) {
            endings[connection] = isByPeer
        }

        /// Resets the state of the turn, after the ended transfers were processed.
        mutating func forget() {
            if !refusing.isEmpty { refusing.removeAll(keepingCapacity: true) }
            if !endings.isEmpty { endings.removeAll(keepingCapacity: true) }
        }
    }
}
