/// The bytes of a download that have arrived and are not written yet.
struct DownloadBuffer {
    /// A piece of fewer bytes is copied to the piece before it.
    private static let smallSize = 4096
    /// The size in bytes from which a write is worth the change to another thread and back.
    private static let pieceSize = 512 * 1024
    /// How many bytes may wait for the disk before the transfer is paused.
    private static let highWater = 4 * 1024 * 1024

    private(set) var pieces: [[UInt8]] = []
    private(set) var size = 0
    /// Set if the file is to be begun anew before the bytes are written.
    private var beginning: DownloadStateMachine.Action?

    var isFull: Bool { size > Self.highWater }

    /// The bytes that can be written to the file as it is.
    var rest: [[UInt8]] { beginning == nil ? pieces : [] }

    /// Drops the bytes. Those that follow are the beginning of the file.
    mutating func begin(_ record: DownloadRecord?) {
        self = DownloadBuffer(beginning: .begin(record))
    }

    mutating func append(_ bytes: consuming [UInt8]) {
        size += bytes.count
        // A server can send a byte at a time, and an array of one byte takes the memory of fifty.
        if bytes.count < Self.smallSize, let last = pieces.indices.last, pieces[last].count < 64 * 1024 {
            pieces[last] += bytes
        } else {
            pieces.append(bytes)
        }
    }

    /// Returns the work on the file that comes next, if there is any.
    ///
    /// - Parameter isComplete: whether no more bytes follow.
    mutating func nextWork(isComplete: Bool) -> DownloadStateMachine.Action? {
        if let beginning = beginning.take() { return beginning }
        guard size >= (isComplete ? 1 : Self.pieceSize) else { return nil }
        defer { self = DownloadBuffer() }
        return .write(pieces)
    }
}
