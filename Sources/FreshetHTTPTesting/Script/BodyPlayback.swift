/// How far the body of a response is played: the rest of the current piece, and where the body waits or is cut off.
struct BodyPlayback {
    private var position = 0
    private var rest: ArraySlice<UInt8> = []
    private var isFirst = true
    private let cut: Int?
    /// The barriers to come, the next one last.
    private var holds: [(position: Int, barrier: Barrier)]

    init(of response: ScriptedResponse) {
        cut = response.cut
        // Stable, so that barriers at the same place come in the order in which they were written.
        let sorted = response.holds.enumerated().sorted {
            ($0.element.position, $0.offset) < ($1.element.position, $1.offset)
        }
        let end = response.cut ?? .max
        holds = sorted.map(\.element).filter { $0.position <= end }.reversed()
    }

    var hasRest: Bool { !rest.isEmpty }

    /// Whether the body is cut off here.
    var isCutOff: Bool { cut.map { $0 <= position } ?? false }

    /// How many bytes can be sent up to the next barrier, or to where the body is cut off.
    var sendable: Int {
        let stops = [cut, holds.last?.position].compactMap { $0 }
        return min(rest.count, stops.map { $0 - position }.min() ?? .max)
    }

    /// Makes `bytes` the current piece, and returns whether another one was before it.
    mutating func begin(_ bytes: [UInt8]) -> Bool {
        defer { isFirst = false }
        rest = bytes[...]
        return !isFirst
    }

    mutating func take(_ count: Int) -> [UInt8] {
        let bytes = Array(rest.prefix(count))
        rest = rest.dropFirst(count)
        position += count
        return bytes
    }

    mutating func discardRest() {
        rest = []
    }

    /// Removes the barrier at which the body has arrived.
    mutating func nextBarrier() -> Barrier? {
        guard let hold = holds.last, hold.position <= position else { return nil }
        return holds.popLast()?.barrier
    }

    /// Removes a barrier that the body did not reach.
    mutating func lastBarrier() -> Barrier? { holds.popLast()?.barrier }
}
