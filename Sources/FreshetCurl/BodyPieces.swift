import CFreshetCurl
import FreshetHTTP

/// The pieces of bodies that are handed on, in memory that is used again once nobody holds it any more: memory that is new
/// to the process for each costs more than the copy.
///
/// libcurl cuts what it has read at once into pieces of 16 KiB, which it hands out right after each other. They are put
/// together again, up to 64 KiB: to hand on a piece costs about what it does to copy one of libcurl's.
struct BodyPieces {
    static let cut = Int(CURL_MAX_WRITE_SIZE)
    private static let full = 4 * cut

    /// Whose next bytes are waited for, which come before libcurl is left.
    private(set) var gathering: CurlTransfer?
    private var gathered: [UInt8] = []
    private var single: [UInt8] = []
    /// Of bodies that went on whole.
    var kept = KeptBodies()

    /// - Parameter isLast: whether nothing can follow.
    /// - Returns: the piece that can be handed on, if there is one. Nothing of another transfer's is waited for.
    mutating func take(_ bytes: UnsafeRawBufferPointer, of transfer: CurlTransfer, isLast: Bool) -> [UInt8]? {
        if gathering == nil {
            guard bytes.count == Self.cut, !isLast else { return piece(of: bytes) }
            gathering = transfer
            gathered.removeAll(keepingCapacity: true)
            if gathered.capacity < Self.full { gathered.reserveCapacity(Self.full) }
        }
        gathered.append(contentsOf: bytes)
        return bytes.count < Self.cut || isLast || gathered.count > Self.full - Self.cut ? end() : nil
    }

    /// Hands out what there is, and waits for no more.
    mutating func end() -> [UInt8] {
        gathering = nil
        return gathered.count * 2 > Self.full ? gathered : gathered.withUnsafeBytes { [UInt8]($0) }
    }

    /// Small ones, and those that would waste much of the memory, have their own.
    private mutating func piece(of bytes: UnsafeRawBufferPointer) -> [UInt8] {
        guard bytes.count >= 8192, bytes.count * 2 > single.capacity else { return [UInt8](bytes) }
        single.removeAll(keepingCapacity: true)
        single.append(contentsOf: bytes)
        return single
    }
}

extension CurlPool {
    /// Hands the next bytes of a body on, now or with those that follow at once.
    func handOn(_ bytes: UnsafeRawBufferPointer, of transfer: CurlTransfer, isLast: Bool) {
        if let other = bodies.gathering, other !== transfer { handOnGathered() }
        if let piece = bodies.take(bytes, of: transfer, isLast: isLast) { transfer.emit(.body(piece)) }
    }

    /// Leaves nothing waiting: libcurl has handed out what it has read.
    func handOnGathered() {
        guard let transfer = bodies.gathering else { return }
        let piece = bodies.end()
        transfer.emit(.body(piece))
    }
}
