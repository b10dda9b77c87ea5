/// The bytes that wait to be written, in pieces for one system call each. Short elements are combined, so that a
/// thousand lines do not need a thousand calls.
struct OutputQueue {
    /// The capacity of a pipe.
    private static let piece = 64 * 1024

    /// The number of bytes that wait.
    private(set) var count = 0
    private var pieces: [[UInt8]] = []
    /// The number of pieces at the beginning that have been taken.
    private var taken = 0

    var isEmpty: Bool { taken == pieces.count }

    mutating func append(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        count += bytes.count
        if taken < pieces.count, pieces[pieces.count - 1].count + bytes.count <= Self.piece {
            pieces[pieces.count - 1] += bytes
        } else {
            pieces.append(bytes)
        }
    }

    mutating func popFirst() -> [UInt8]? {
        guard !isEmpty else { return nil }
        var first: [UInt8] = []
        swap(&first, &pieces[taken])
        taken += 1
        count -= first.count
        if taken == pieces.count || taken == 64 {
            pieces.removeFirst(taken)
            taken = 0
        }
        return first
    }
}
