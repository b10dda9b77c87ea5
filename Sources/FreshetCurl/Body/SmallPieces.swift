/// Joins the small pieces of a body that libcurl hands out in one call.
///
/// libcurl hands out each chunk, and some versions each HTTP/2 frame, separately. The way of a piece to the observer takes several
/// times as long as libcurl's own work for it, and all other transfers of the loop wait meanwhile.
///
/// A transfer whose pieces were full in a call leaves the rest of the turn to others. Compressed bodies and bodies over
/// HTTP/2 are joined, but do not yield.
struct SmallPieces {
    /// The size from which a piece is delivered alone.
    static let largePiece = 1024
    /// The largest size of the joined pieces.
    private static let limit = 64 * 1024

    private var bytes: [UInt8] = []
    /// The number of the last call of libcurl in which the pieces were full; 0 if there is none.
    var lastFullCall = 0

    var isEmpty: Bool { bytes.isEmpty }
    /// Whether there may be no room for another piece.
    var areFull: Bool { bytes.count > Self.limit - Self.largePiece }

    mutating func append(_ piece: UnsafeRawBufferPointer) { bytes.append(contentsOf: piece) }

    /// Removes the pieces that wait, and returns them joined.
    mutating func removeAll() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }
}
