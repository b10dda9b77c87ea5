import CFreshetCurl
import FreshetHTTP

/// A body that is wanted in one piece, put together where it comes from: each byte is copied once.
///
/// Room is made for what the head announces, but never for much more than has come: a length is easily said.
struct WholeBody {
    private static let firstRoom = 1 << 20

    private(set) var bytes: [UInt8]
    /// How many bytes it may have.
    private let limit: Int
    /// As long as the head says that it will be.
    private let length: Int

    /// - Parameter kept: where memory may be that has been used before.
    init(limit: Int, length: Int?, from kept: inout KeptBodies) {
        self.limit = limit
        self.length = min(length ?? 0, limit)
        bytes = kept.take(min(self.length, Self.firstRoom))
    }

    /// - Returns: whether that is within the limit; if not, it was not taken.
    mutating func take(_ more: UnsafeRawBufferPointer) -> Bool {
        let count = bytes.count + more.count
        guard count <= limit else { return false }
        if count > bytes.capacity { bytes.reserveCapacity(max(count, min(length, bytes.capacity * 4))) }
        bytes.append(contentsOf: more)
        return true
    }
}

/// Memory of bodies that have been handed on, to be used again where nobody holds it any more: the system's own has to be
/// cleared, page for page, which takes longer than to fill it.
struct KeptBodies {
    /// What is smaller the allocator keeps itself.
    private static let smallest = 64 * 1024
    private static let room = 8 << 20

    private var bodies: [[UInt8]] = []
    /// How many bytes all of them have room for.
    private(set) var size = 0

    /// An empty array with room for so many bytes.
    mutating func take(_ count: Int) -> [UInt8] {
        if count >= Self.smallest, let index = bodies.firstIndex(where: { count...count * 2 ~= $0.capacity }) {
            // The oldest that fits is the likeliest to be nobody's; if it is somebody's, this makes another like it.
            var body = bodies.remove(at: index)
            size -= body.capacity
            body.removeAll(keepingCapacity: true)
            return body
        }
        var body: [UInt8] = []
        body.reserveCapacity(count)
        return body
    }

    mutating func keep(_ body: [UInt8]) {
        guard Self.smallest...Self.room ~= body.capacity else { return }
        while size + body.capacity > Self.room { size -= bodies.removeFirst().capacity }
        bodies.append(body)
        size += body.capacity
    }

    mutating func clear() { self = KeptBodies() }
}
