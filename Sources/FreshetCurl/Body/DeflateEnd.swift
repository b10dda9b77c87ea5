import CFreshetCurl

/// Decodes the content coding `deflate` to learn where it ends, and drops what it decodes.
///
/// The coding is the format of zlib (RFC 1950). Some servers send the bare data (RFC 1951), which libcurl accepts too.
final class DeflateEnd {
    private(set) var end = DataEndCheck.End.pending
    /// The first two bytes, which tell the formats apart.
    private var header: [UInt8] = []
    /// The stream has a fixed address, because zlib keeps it.
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private var isOpen = false
    private var decoded = 0

    init() { stream.initialize(to: z_stream()) }

    deinit {
        if isOpen { inflateEnd(stream) }
        stream.deallocate()
    }

    func process(_ bytes: UnsafeRawBufferPointer, limit: Int) {
        var bytes = bytes[...]
        if !isOpen {
            while header.count < 2, let byte = bytes.popFirst() { header.append(byte) }
            guard header.count == 2, end == .pending, open() else { return }
            header.withUnsafeBytes { inflateAll($0, limit) }
        }
        inflateAll(UnsafeRawBufferPointer(rebasing: bytes), limit)
    }

    private func open() -> Bool {
        // RFC 1950, section 2.2: the method is 8, and both bytes together are a number that is a multiple of 31.
        let isZlib = header[0] & 15 == 8 && (Int(header[0]) << 8 + Int(header[1])) % 31 == 0
        let size = Int32(MemoryLayout<z_stream>.size)
        isOpen = inflateInit2_(stream, isZlib ? MAX_WBITS : -MAX_WBITS, ZLIB_VERSION, size) == Z_OK
        if !isOpen { end = .unknown }
        return isOpen
    }

    private func inflateAll(_ bytes: UnsafeRawBufferPointer, _ limit: Int) {
        guard end == .pending, let start = bytes.bindMemory(to: UInt8.self).baseAddress else { return }
        stream.pointee.next_in = UnsafeMutablePointer(mutating: start)
        stream.pointee.avail_in = UInt32(bytes.count)
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16_384) { room in
            repeat {
                stream.pointee.next_out = room.baseAddress
                stream.pointee.avail_out = UInt32(room.count)
                let code = inflate(stream, Z_NO_FLUSH)
                decoded += room.count - Int(stream.pointee.avail_out)
                switch code {
                case Z_STREAM_END: end = .reached
                case Z_OK, Z_BUF_ERROR: if decoded > limit { end = .unknown }
                default: end = .unknown
                }
            } while end == .pending && (stream.pointee.avail_in > 0 || stream.pointee.avail_out == 0)
        }
    }
}
