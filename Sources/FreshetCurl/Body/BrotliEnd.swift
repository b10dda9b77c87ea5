import CFreshetCurl

/// Decodes the content coding `br` (RFC 7932) to learn where it ends, and drops what it decodes.
final class BrotliEnd {
    private(set) var end = DataEndCheck.End.pending
    private let decoder: OpaquePointer
    private var decoded = 0

    /// Creates a decoder; `nil` if libcurl has not loaded Brotli's library.
    init?() {
        guard let decoder = freshet_brotli_make() else { return nil }
        self.decoder = decoder
    }

    deinit { freshet_brotli_free(decoder) }

    func process(_ bytes: UnsafeRawBufferPointer, limit: Int) {
        guard end == .pending, !bytes.isEmpty else { return }
        var next = bytes.bindMemory(to: UInt8.self).baseAddress
        var count = bytes.count
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16_384) { room in
            var result = freshet_brotli_needs_output
            while result == freshet_brotli_needs_output && end == .pending {
                var space = room.count
                result = freshet_brotli_decode(decoder, &next, &count, room.baseAddress, &space)
                decoded += room.count - space
                if result == freshet_brotli_done {
                    end = .reached
                } else if result == freshet_brotli_failed || decoded > limit {
                    end = .unknown
                }
            }
        }
    }
}
